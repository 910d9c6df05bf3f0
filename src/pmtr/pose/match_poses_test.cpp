// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/match_poses.h"

#include <gtest/gtest.h>

#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

/// Matches over the wavy fracture of the block, a share of them replaced by random partners.
std::vector<OrientedMatch> matches(const Rigid3& b_from_world, double wrong_share, double height,
                                   std::uint64_t seed) {
  const test::BrokenBlock block(height);
  Random random(seed);
  std::vector<std::size_t> broken;
  for (std::size_t i = 0; i < block.low.points.size(); ++i) {
    if (block.low_scores[i] > 0.5F) broken.push_back(i);
  }
  std::vector<OrientedMatch> result;
  for (const std::size_t i : broken) {
    const std::size_t j = random.uniform() < wrong_share ? broken[random.below(broken.size())] : i;
    OrientedMatch m;
    m.a = block.low.points[i];
    m.normal_a = block.low.normals[i];
    m.b = (b_from_world * block.low.points[j].cast<double>().eval()).cast<float>();
    m.normal_b = -(b_from_world.rotation.cast<float>() * block.low.normals[j]);
    result.push_back(m);
  }
  return result;
}

TEST(MatchPoses, survive_four_wrong_matches_of_five) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Rigid3 b_from_world = test::some_motion(seed);
    const auto poses = poses_from_matches(matches(b_from_world, 0.8, 0.02, seed), {});
    ASSERT_FALSE(poses.empty());
    EXPECT_LT(test::degrees_between(poses[0].a_from_b, b_from_world.inverse()), 0.5);
    EXPECT_LT((poses[0].a_from_b.translation - b_from_world.inverse().translation).norm(), 0.005);
    EXPECT_GT(poses[0].share, 0.15);
  }
}

TEST(MatchPoses, matches_along_a_line_still_have_their_normals) {
  const Rigid3 b_from_world = test::some_motion(3);
  std::vector<OrientedMatch> line;
  for (int i = 0; i < 30; ++i) {
    OrientedMatch m;
    m.a = Eigen::Vector3f(0.01F * static_cast<float>(i), 0.0F, 0.0F);
    m.normal_a = Eigen::Vector3f::UnitZ();
    m.b = (b_from_world * m.a.cast<double>().eval()).cast<float>();
    m.normal_b = -(b_from_world.rotation.cast<float>() * m.normal_a);
    line.push_back(m);
  }
  const auto poses = poses_from_matches(line, {});
  ASSERT_FALSE(poses.empty());
  EXPECT_LT(test::degrees_between(poses[0].a_from_b, b_from_world.inverse()), 0.1);
  // Normals along the line say nothing about the turn around it: no pose rather than an arbitrary one.
  for (OrientedMatch& m : line) {
    m.normal_a = Eigen::Vector3f::UnitX();
    m.normal_b = -(b_from_world.rotation.cast<float>() * m.normal_a);
  }
  EXPECT_TRUE(poses_from_matches(line, {}).empty());
}

TEST(MatchPoses, random_matches_agree_on_little) {
  const auto poses = poses_from_matches(matches(test::some_motion(2), 1.0, 0.02, 9), {});
  for (const MatchPose& pose : poses) EXPECT_LT(pose.share, 0.1);
  EXPECT_TRUE(poses_from_matches({}, {}).empty());
}

TEST(MatchPoseOptions, are_checked) {
  EXPECT_TRUE(MatchPoseOptions{}.validate().ok());
  EXPECT_FALSE(MatchPoseOptions{.draws = 0}.validate().ok());
  EXPECT_FALSE(MatchPoseOptions{.reach = 0.001}.validate().ok());
  EXPECT_FALSE(MatchPoseOptions{.agreement = 0.0}.validate().ok());
}

}  // namespace
}  // namespace pmtr
