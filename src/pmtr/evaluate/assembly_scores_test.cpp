// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/assembly_scores.h"

#include <numbers>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

namespace pmtr {
namespace {

Rigid3 shift(double x) { return {Eigen::Matrix3d::Identity(), Eigen::Vector3d(x, 0, 0)}; }
Rigid3 turn_z(double degrees) {
  return {Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, Eigen::Vector3d::UnitZ()).toRotationMatrix(),
          Eigen::Vector3d::Zero()};
}

/// A small cross around the origin of its own frame.
EvaluatedPart part(double area, const Rigid3& belongs, const Rigid3& found) {
  EvaluatedPart p;
  p.points = {{0.01F, 0, 0}, {-0.01F, 0, 0}, {0, 0.01F, 0}, {0, -0.01F, 0}};
  p.area = area;
  p.true_world_from_part = belongs;
  p.found_world_from_part = found;
  p.placed = true;
  return p;
}

TEST(ScoreAssembly, a_right_assembly_in_another_frame_has_no_error) {
  const Rigid3 elsewhere = shift(5.0) * turn_z(77.0);
  const std::vector<EvaluatedPart> parts{part(1, shift(-0.3), elsewhere * shift(-0.3)),
                                         part(2, shift(0.0), elsewhere),
                                         part(1, shift(0.3), elsewhere * shift(0.3))};
  const AssemblyScores s = score_assembly(parts, {}, Threads::none());
  EXPECT_NEAR(s.crd, 0.0, 1e-6);
  EXPECT_NEAR(s.cd, 0.0, 1e-9);
  EXPECT_NEAR(s.rot_deg, 0.0, 1e-5);
  EXPECT_EQ(s.pa_cd, 1.0);
  EXPECT_EQ(s.recall_5_001, 1.0);
  EXPECT_TRUE(s.complete);
}

TEST(ScoreAssembly, one_of_two_parts_wrong_by_hand) {
  // The second part is turned by 90 degrees about its own middle and put 0.6 too far.
  const std::vector<EvaluatedPart> parts{part(2, shift(0.0), shift(0.0)),
                                         part(1, shift(0.3), shift(0.9) * turn_z(90))};
  const AssemblyScores s = score_assembly(parts, {.count_anchor = true}, Threads::none());
  EXPECT_NEAR(s.rmse_r_deg, 90.0 / std::sqrt(3.0) / 2.0, 1e-6);  // the anchor halves it
  EXPECT_NEAR(s.rmse_t, 0.6 / std::sqrt(3.0) / 2.0, 1e-6);
  EXPECT_NEAR(s.rot_deg, 90.0, 1e-6);
  EXPECT_NEAR(s.trans, 0.6, 1e-6);
  EXPECT_EQ(s.pa_cd, 0.5);
  EXPECT_EQ(s.pa_cd_free, 0.0);
  EXPECT_EQ(s.pa_crd, 0.5);
  EXPECT_EQ(s.recall_10_005, 0.0);
  EXPECT_FALSE(s.complete);
  // Points of the turned cross: two move by (0.6 -+ 0.01, +-0.01), two by (0.6 +- 0.01, -+0.01).
  EXPECT_NEAR(s.crd, 0.6 / 2.0, 1e-3);
}

TEST(ScoreAssembly, as_a_pair_the_moved_part_alone_is_measured) {
  const std::vector<EvaluatedPart> parts{part(2, shift(0.0), shift(0.0)),
                                         part(1, shift(0.3), shift(0.9) * turn_z(90))};
  const AssemblyScores pair = score_assembly(parts, {.count_anchor = false}, Threads::none());
  EXPECT_NEAR(pair.rmse_r_deg, 90.0 / std::sqrt(3.0), 1e-6);  // Euler angles (0, 0, 90)
  EXPECT_NEAR(pair.rmse_t, 0.6 / std::sqrt(3.0), 1e-6);
  EXPECT_EQ(pair.pa_cd, 0.0);
  EXPECT_EQ(pair.pa_crd, 0.0);
  // Nothing else depends on it.
  const AssemblyScores many = score_assembly(parts, {.count_anchor = true}, Threads::none());
  EXPECT_EQ(pair.crd, many.crd);
  EXPECT_EQ(pair.cd, many.cd);
  EXPECT_EQ(pair.rot_deg, many.rot_deg);
  EXPECT_EQ(pair.placed, many.placed);
}

TEST(ScoreAssembly, a_part_that_was_not_placed_lies_in_the_middle) {
  std::vector<EvaluatedPart> parts{part(2, shift(-0.3), shift(-0.3)), part(1, shift(0.3), shift(0.3))};
  parts[1].placed = false;
  const AssemblyScores s = score_assembly(parts, {}, Threads::none());
  EXPECT_NEAR(s.trans, 0.3, 1e-6);
  EXPECT_EQ(s.placed, 0.5);
  EXPECT_FALSE(s.complete);
}

}  // namespace
}  // namespace pmtr
