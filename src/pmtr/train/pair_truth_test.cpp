// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/pair_truth.h"

#include <set>

#include <gtest/gtest.h>

namespace pmtr {
namespace {

SuperpointPatches patches_of(const std::vector<std::vector<std::int32_t>>& lists, std::size_t points) {
  SuperpointPatches patches;
  patches.superpoint_of_point.assign(points, -1);
  patches.offsets = {0};
  for (const auto& list : lists) {
    patches.points.insert(patches.points.end(), list.begin(), list.end());
    patches.offsets.push_back(static_cast<std::int64_t>(patches.points.size()));
  }
  return patches;
}

TEST(PatchOverlaps, by_hand) {
  // Four source points on a line, two per patch; the target's three points lie over the first three.
  const std::vector<Eigen::Vector3f> source{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  const std::vector<Eigen::Vector3f> target{{0, 0.1F, 0}, {1, 0.1F, 0}, {2, 0.1F, 0}};
  const auto overlaps =
      patch_overlaps(source, patches_of({{0, 1}, {2, 3}}, 4), target, patches_of({{0}, {1, 2}}, 3), 0.2);
  ASSERT_EQ(overlaps.size(), 3U);
  // (0, 0): half of the source patch, all of the target patch.
  EXPECT_EQ(overlaps[0].source, 0);
  EXPECT_EQ(overlaps[0].target, 0);
  EXPECT_FLOAT_EQ(overlaps[0].overlap, 0.75F);
  EXPECT_EQ(overlaps[1].source, 0);
  EXPECT_EQ(overlaps[1].target, 1);
  EXPECT_FLOAT_EQ(overlaps[1].overlap, 0.5F);
  EXPECT_EQ(overlaps[2].source, 1);
  EXPECT_EQ(overlaps[2].target, 1);
  EXPECT_FLOAT_EQ(overlaps[2].overlap, 0.5F);
}

TEST(PatchOverlaps, the_radius_is_exclusive_and_points_outside_patches_do_not_count) {
  const std::vector<Eigen::Vector3f> source{{0, 0, 0}, {5, 0, 0}};
  const std::vector<Eigen::Vector3f> target{{0.25F, 0, 0}, {5, 0, 0}};
  const auto kept = patches_of({{0}}, 2);
  EXPECT_TRUE(patch_overlaps(source, kept, target, kept, 0.25).empty());
  EXPECT_EQ(patch_overlaps(source, kept, target, kept, 0.26).size(), 1U);
}

TEST(FindPairTruth, chooses_as_many_pairs_as_asked_for_each_once) {
  Random random(1);
  std::vector<Eigen::Vector3f> cloud;
  for (int i = 0; i < 600; ++i) cloud.push_back((0.3 * random.rotation().col(0)).cast<float>());
  const Pyramid pyramid = *build_pyramid(cloud, PyramidOptions{}, Threads::none());
  PairTruthOptions options;
  options.superpoint_pairs = 20;
  const PairTruth truth = find_pair_truth(pyramid, pyramid, cloud, cloud, options, random, Threads::none());
  ASSERT_EQ(truth.superpoint_pairs.size(), 20U);
  std::set<std::pair<int, int>> seen;
  for (const SuperpointMatch& pair : truth.superpoint_pairs) {
    EXPECT_GT(pair.score, 0.1F);
    EXPECT_TRUE(seen.insert({pair.source, pair.target}).second);
  }
  for (const PatchOverlap& pair : truth.overlaps) {
    if (pair.source != pair.target) continue;
    EXPECT_FLOAT_EQ(pair.overlap, 1.0F);
  }
}

}  // namespace
}  // namespace pmtr
