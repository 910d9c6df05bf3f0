// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/settle_assembly.h"

#include <gtest/gtest.h>

#include "pmtr/assemble/joint_test_support.h"
#include "pmtr/assemble/measure_assembly.h"
#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

using test::BrokenBlock;

constexpr double height = 0.02;
constexpr double step = 0.016;

/// The lower piece of a block once more broken, across the other way: the half on the given side, as a cloud.
OrientedCloud half_of_low(const BrokenBlock& block, bool front) {
  const auto across = [](double x, double z) { return 0.3 + BrokenBlock::wave(x, z, height); };
  PointCloud cloud;
  std::vector<float> scores;
  const auto add = [&](const Eigen::Vector3f& point, const Eigen::Vector3f& normal, float score) {
    cloud.points.push_back(point);
    cloud.normals.push_back(normal);
    scores.push_back(score);
  };
  for (std::size_t i = 0; i < block.low.points.size(); ++i) {
    const Eigen::Vector3f& p = block.low.points[i];
    if ((p.y() < across(p.x(), p.z())) == front) add(p, block.low.normals[i], block.low_scores[i]);
  }
  const double shift = front ? 0.0 : 0.5 * step;
  for (double x = -0.5 + 0.3 * step + shift; x < 0.5; x += step) {
    for (double z = 0.3 * step + shift; z < 0.4; z += step) {
      const double y = across(x, z);
      if (x > BrokenBlock::wave(y, z, height)) continue;
      const double e = 1e-5;
      const double dx = (across(x + e, z) - across(x - e, z)) / (2.0 * e);
      const double dz = (across(x, z + e) - across(x, z - e)) / (2.0 * e);
      const Eigen::Vector3d normal = (front ? 1.0 : -1.0) * Eigen::Vector3d(-dx, 1.0, -dz).normalized();
      add(Eigen::Vector3d(x, y, z).cast<float>(), normal.cast<float>(), 1.0F);
    }
  }
  return orient_cloud(cloud, scores, static_cast<double>(cloud.points.size()) * step * step, {},
                      Threads::none());
}

/// A block in three pieces that lie as they were but for the last, which a doubtful joint holds in a place
/// where it does not belong. Three are many here.
struct MisplacedPiece {
  BrokenBlock block{height, step};
  std::vector<OrientedCloud> clouds = {half_of_low(block, true), half_of_low(block, false), block.b({})};
  std::vector<PartShape> shapes = shapes_of(clouds);
  PartsAtHand parts{clouds, shapes, {}, {}};
  Rigid3 wrong{Eigen::AngleAxisd(0.6, Eigen::Vector3d::UnitX()).toRotationMatrix(), {0.1, 0.2, -0.1}};
  Assembly assembly;
  AssembleOptions options;

  explicit MisplacedPiece(double confidence) {
    assembly.parts.resize(3);
    for (PlacedPart& part : assembly.parts) {
      part.placed = true;
      part.component = 0;
    }
    assembly.parts[0].anchor = true;
    assembly.parts[2].world_from_part = wrong;
    assembly.joints = {test::joint(0, 1, {}, 0.99, true), test::joint(1, 2, wrong, confidence, true)};
    judge_where_they_stand(assembly, shapes, {});
    rate_parts(assembly);
    options.pairs.few = 2;
  }

  Result<Assembly> rejoined() const {
    return rejoin_confirmed(assembly, parts, options, Threads::none(), {});
  }
  bool untouched() const {
    const Result<Assembly> same = rejoined();
    return same.ok() && same->joints.size() == 2 && same->parts[2].world_from_part.matrix() == wrong.matrix();
  }
};

TEST(RejoinConfirmed, what_no_confirmed_joint_holds_is_searched_again) {
  const MisplacedPiece given(0.6);
  const Result<Assembly> better = given.rejoined();
  ASSERT_TRUE(better.ok());
  const Rigid3 found = better->parts[0].world_from_part.inverse() * better->parts[2].world_from_part;
  EXPECT_LT(test::degrees_between(found, {}), 1.0);
  EXPECT_LT((found * given.shapes[2].centre - given.shapes[2].centre).norm(), 0.01);
  EXPECT_GT(better->parts[2].confidence, 0.6);
  EXPECT_EQ(better->verdicts.size(), better->joints.size());
}

TEST(RejoinConfirmed, what_confirmed_joints_hold_is_left_as_it_is) {
  EXPECT_TRUE(MisplacedPiece(0.99).untouched());
}

TEST(RejoinConfirmed, is_for_many_fragments_of_one_object) {
  MisplacedPiece few(0.6);
  few.options.pairs.few = 3;
  EXPECT_TRUE(few.untouched());
  MisplacedPiece of_two(0.6);
  of_two.options.objects = 2;
  EXPECT_TRUE(of_two.untouched());
}

TEST(RejoinConfirmed, stops_when_asked) {
  const MisplacedPiece given(0.6);
  Listener listener;
  listener.cancelled = [] { return true; };
  const auto stopped =
      rejoin_confirmed(given.assembly, given.parts, given.options, Threads::none(), listener);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().cause, Cause::cancelled);
}

}  // namespace
}  // namespace pmtr
