// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/pose_search.h"

#include <gtest/gtest.h>

#include "pmtr/pose/pose_clusters.h"
#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

PoseSearchOptions small_search() {
  PoseSearchOptions options;
  options.border_hypotheses = 30000;
  options.point_pairs.draws = 4000;
  return options;
}

class PoseSearchTest : public testing::Test {
 protected:
  test::BrokenBlock block_{0.02};
  Rigid3 b_from_world_ = test::some_motion(11);
  Rigid3 truth_ = b_from_world_.inverse();
  OrientedCloud a_ = block_.a();
  OrientedCloud b_ = block_.b(b_from_world_);
};

TEST_F(PoseSearchTest, finds_the_pose_of_two_pieces) {
  const auto found = search_poses(a_, b_, {}, small_search(), Threads::none());
  ASSERT_FALSE(found.empty());
  EXPECT_LT(test::degrees_between(found[0].a_from_b, truth_), 0.3);
  EXPECT_LT(pose_distance(b_, found[0].a_from_b, truth_), 0.003);
  EXPECT_GT(found[0].confidence, 0.9);
}

TEST_F(PoseSearchTest, either_source_alone_is_enough) {
  PoseSearchOptions options = small_search();
  options.border_hypotheses = 0;
  options.point_pairs.draws = 20000;
  const auto pairs = search_poses(a_, b_, {}, options, Threads::none());
  ASSERT_FALSE(pairs.empty());
  EXPECT_LT(pose_distance(b_, pairs[0].a_from_b, truth_), 0.003);
  options = small_search();
  options.point_pairs.draws = 0;
  const auto border = search_poses(a_, b_, {}, options, Threads::none());
  ASSERT_FALSE(border.empty());
  EXPECT_LT(pose_distance(b_, border[0].a_from_b, truth_), 0.003);
}

TEST_F(PoseSearchTest, a_hint_alone_is_refined) {
  PoseSearchOptions options;
  options.border_hypotheses = 0;
  options.point_pairs.draws = 0;
  EXPECT_TRUE(search_poses(a_, b_, {}, options, Threads::none()).empty());
  Rigid3 hint = truth_;
  hint.translation += Eigen::Vector3d(0.004, -0.003, 0.004);
  const std::vector<Rigid3> hints = {hint};
  const auto found = search_poses(a_, b_, hints, options, Threads::none());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LT(pose_distance(b_, found[0].a_from_b, truth_), 0.003);
}

TEST_F(PoseSearchTest, answers_are_distinct_and_ordered) {
  const auto found = search_poses(a_, b_, {}, small_search(), Threads::none());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t j = i + 1; j < found.size(); ++j) {
      EXPECT_GE(found[i].confidence, found[j].confidence);
      EXPECT_GT(pose_distance(b_, found[i].a_from_b, found[j].a_from_b), 0.03);
    }
  }
}

TEST_F(PoseSearchTest, gives_the_same_bits_with_any_team) {
  Threads two(2);
  const auto one = search_poses(a_, b_, {}, small_search(), Threads::none());
  const auto other = search_poses(a_, b_, {}, small_search(), two);
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].a_from_b.matrix(), other[i].a_from_b.matrix());
    EXPECT_EQ(one[i].confidence, other[i].confidence);
  }
}

TEST_F(PoseSearchTest, pieces_without_fracture_have_no_pose) {
  std::fill(block_.high_scores.begin(), block_.high_scores.end(), 0.0F);
  EXPECT_TRUE(search_poses(a_, block_.b(b_from_world_), {}, small_search(), Threads::none()).empty());
}

TEST_F(PoseSearchTest, surfaces_that_do_not_fit_are_not_believed) {
  const test::BrokenBlock other(0.03, 0.0121);
  // Both low pieces: neither has what the other lacks.
  const OrientedCloud a = other.a();
  const auto found = search_poses(a, a_, {}, small_search(), Threads::none());
  EXPECT_LT(found.empty() ? 0.0 : found[0].confidence, 0.5);
}

TEST(PoseClusters, keep_the_better_of_two_near_poses) {
  const test::BrokenBlock block(0.0, 0.03);
  const OrientedCloud b = block.b(Rigid3{});
  Rigid3 near;
  near.translation.x() = 0.01;
  Rigid3 far;
  far.rotation = Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  const std::vector<Rigid3> poses = {Rigid3{}, near, far};
  EXPECT_EQ(distinct_poses(b, poses, 0.02, 10), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(distinct_poses(b, poses, 0.005, 10).size(), 3U);
  EXPECT_EQ(distinct_poses(b, poses, 0.005, 1).size(), 1U);
  EXPECT_NEAR(pose_distance(b, Rigid3{}, near), 0.01, 1e-12);
}

TEST(PoseSearchOptions, are_checked) {
  EXPECT_TRUE(PoseSearchOptions{}.validate().ok());
  PoseSearchOptions options;
  options.kept = 0;
  EXPECT_FALSE(options.validate().ok());
  options = {};
  options.point_pairs.seeds = 100000;
  EXPECT_FALSE(options.validate().ok());
  options = {};
  options.point_pairs.angle_step = 0.0;
  EXPECT_FALSE(options.validate().ok());
}

}  // namespace
}  // namespace pmtr
