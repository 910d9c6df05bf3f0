// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/mating_icp.h"

#include <gtest/gtest.h>

#include "pmtr/pose/pose_search.h"
#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

Rigid3 nudged(const Rigid3& pose, double degrees, double distance, std::uint64_t seed) {
  Random random(seed);
  const Rigid3 nudge{
      Eigen::AngleAxisd(degrees * 3.14159265 / 180.0, random.rotation().col(0)).toRotationMatrix(),
      distance * random.rotation().col(0)};
  return pose * nudge;
}

TEST(MatingIcp, brings_a_wavy_joint_home) {
  const test::BrokenBlock block(0.02);
  const Rigid3 b_from_world = test::some_motion(3);
  const OrientedCloud a = block.a();
  const OrientedCloud b = block.b(b_from_world);
  const Rigid3 truth = b_from_world.inverse();
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Rigid3 world_nudge = nudged(Rigid3{}, 4.0, 0.02, seed);
    const Rigid3 found = refine_pose(a, b, world_nudge * truth);
    EXPECT_LT(test::degrees_between(found, truth), 0.3) << seed;
    EXPECT_LT((found * b.centre - truth * b.centre).norm(), 0.002) << seed;
  }
}

TEST(MatingIcp, the_border_holds_a_flat_joint) {
  const test::BrokenBlock block(0.0);
  const OrientedCloud a = block.a();
  const OrientedCloud b = block.b(Rigid3{});
  const Rigid3 slid{Eigen::Matrix3d::Identity(), {0.0, 0.02, -0.015}};
  IcpRound round{.steps = 12, .first_tolerance = 3.0, .last_tolerance = 0.5, .points = 0};
  EXPECT_LT(refine_mating(a, b, slid, round).a_from_b.translation.norm(), 0.001);
  round.border_weight = 0.0;  // the fracture alone cannot tell
  EXPECT_GT(refine_mating(a, b, slid, round).a_from_b.translation.norm(), 0.02);
}

TEST(MatingIcp, rather_leaves_a_gap_than_penetrates) {
  // Every other point of b's flat fracture stands out by 0.003, the rest lies back as far: no pose fits them
  // all.
  test::BrokenBlock block(0.0);
  bool out = false;
  for (std::size_t i = 0; i < block.high.points.size(); ++i) {
    if (block.high_scores[i] < 0.5F) continue;
    block.high.points[i].x() += out ? -0.003F : 0.003F;
    out = !out;
  }
  const OrientedCloud a = block.a();
  const OrientedCloud b = block.b(Rigid3{});
  IcpRound round{
      .steps = 12, .first_tolerance = 3.0, .last_tolerance = 2.0, .points = 0, .border_weight = 0.0};
  round.penetration_weight = 0.0;
  const double even = refine_mating(a, b, Rigid3{}, round).a_from_b.translation.x();
  round.penetration_weight = 4.0;
  const double careful = refine_mating(a, b, Rigid3{}, round).a_from_b.translation.x();
  EXPECT_GT(careful, even + 0.002);
  EXPECT_GT(careful, 0.0015);
}

TEST(MatingIcp, leaves_a_pose_that_touches_nothing) {
  const test::BrokenBlock block(0.02);
  const Rigid3 far{Eigen::Matrix3d::Identity(), {5.0, 0.0, 0.0}};
  const IcpResult result = refine_mating(block.a(), block.b(Rigid3{}), far, {});
  EXPECT_EQ(result.pulled, 0);
  EXPECT_EQ(result.a_from_b.translation, far.translation);
}

}  // namespace
}  // namespace pmtr
