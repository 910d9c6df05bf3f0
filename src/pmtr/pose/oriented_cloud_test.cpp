// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/oriented_cloud.h"

#include <gtest/gtest.h>

#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

TEST(OrientedCloud, parts_fracture_from_outer_surface) {
  const test::BrokenBlock block(0.02);
  const OrientedCloud cloud = block.a();
  EXPECT_EQ(cloud.fracture.size() + cloud.outer.size(), cloud.points.size());
  std::size_t marked = 0;
  for (const float score : block.low_scores) marked += score > 0.5F ? 1U : 0U;
  EXPECT_NEAR(static_cast<double>(cloud.fracture.size()), static_cast<double>(marked),
              0.03 * static_cast<double>(marked));
  EXPECT_NEAR(cloud.spacing, 0.012F, 1e-5F);
}

TEST(OrientedCloud, forgets_single_wrong_labels) {
  test::BrokenBlock block(0.02);
  const std::vector<float> truth = block.low_scores;
  Random random(7);
  int flipped = 0;
  for (auto& score : block.low_scores) {
    if (random.uniform() < 0.05) {
      score = 1.0F - score;
      ++flipped;
    }
  }
  const auto wrong = [&](const OrientedCloud& cloud) {
    int count = 0;
    for (const auto& p : cloud.points)
      count += (p.score >= 0.5F) != (truth[static_cast<std::size_t>(p.index)] >= 0.5F) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(wrong(block.a({.smoothing_radius = 0.0})), flipped);
  EXPECT_LT(wrong(block.a()), flipped / 10);
}

TEST(OrientedCloud, finds_the_border_finer_than_its_points) {
  const OrientedCloud cloud = test::BrokenBlock(0.0).a();
  ASSERT_GT(cloud.border.size(), 100U);
  for (const BorderPoint& place : cloud.border) {
    EXPECT_NEAR(place.position.x(), 0.0F, 1e-4F);
    const float y = std::min(std::abs(place.position.y()), std::abs(place.position.y() - 0.6F));
    const float z = std::min(std::abs(place.position.z()), std::abs(place.position.z() - 0.4F));
    EXPECT_LT(std::min(y, z), 1e-4F);
    EXPECT_NEAR(place.fracture_normal.x(), 1.0F, 1e-3F);
    EXPECT_NEAR(place.outer_normal.x(), 0.0F, 1e-3F);
  }
}

TEST(OrientedCloud, without_fracture_has_no_border) {
  test::BrokenBlock block(0.0);
  std::fill(block.low_scores.begin(), block.low_scores.end(), 0.0F);
  const OrientedCloud cloud = block.a();
  EXPECT_TRUE(cloud.fracture.empty());
  EXPECT_TRUE(cloud.border.empty());
}

TEST(OrientedCloud, with_other_scores_is_what_these_would_have_made) {
  test::BrokenBlock block(0.02);
  OrientedCloud relabelled = block.a();
  for (auto& score : block.low_scores) score = 1.0F - score;
  const OrientedCloud anew = block.a();
  relabelled = with_scores(relabelled, block.low_scores, {}, Threads::none());
  ASSERT_EQ(relabelled.fracture.size(), anew.fracture.size());
  ASSERT_EQ(relabelled.border.size(), anew.border.size());
  EXPECT_EQ(relabelled.near_border, anew.near_border);
  EXPECT_EQ(relabelled.fracture_neighbours, anew.fracture_neighbours);
  for (std::size_t i = 0; i < anew.points.size(); ++i) {
    const OrientedPoint &x = relabelled.points[i], &y = anew.points[i];
    ASSERT_EQ(x.position, y.position);
    ASSERT_EQ(x.normal, y.normal);
    ASSERT_EQ(x.score, y.score);
    ASSERT_EQ(x.index, y.index);
    const Eigen::Vector3f beside = y.position + 0.5F * anew.spacing * y.normal;
    ASSERT_EQ(relabelled.surface_field.lookup(beside), anew.surface_field.lookup(beside));
    ASSERT_EQ(relabelled.fracture_field.lookup(beside), anew.fracture_field.lookup(beside));
    ASSERT_EQ(relabelled.border_field.lookup(beside), anew.border_field.lookup(beside));
  }
}

TEST(OrientedCloudOptions, are_checked) {
  EXPECT_TRUE(OrientedCloudOptions{}.validate().ok());
  EXPECT_FALSE(OrientedCloudOptions{.min_fracture_score = 1.5}.validate().ok());
  EXPECT_FALSE(OrientedCloudOptions{.smoothing_radius = -1.0}.validate().ok());
}

}  // namespace
}  // namespace pmtr
