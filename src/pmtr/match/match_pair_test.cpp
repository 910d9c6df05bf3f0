// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/match_pair.h"

#include <gtest/gtest.h>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

/// A fragment of separate clusters with a feature of its own for every superpoint and point.
FragmentFeatures fragment(int clusters, int points_each, int length) {
  Random random(1);
  FragmentFeatures f;
  const auto fill = [&](FeatureMatrix& m, std::int64_t rows, float size) {
    m.rows = rows;
    m.columns = length;
    for (std::int64_t i = 0; i < rows; ++i) {
      Eigen::VectorXf v(length);
      for (int c = 0; c < length; ++c) v[c] = static_cast<float>(random.normal());
      v = v.normalized() * size;
      m.values.insert(m.values.end(), v.data(), v.data() + length);
    }
  };
  for (int k = 0; k < clusters; ++k) {
    f.superpoints.emplace_back(static_cast<float>(k), 0.0F, 0.0F);
    for (int i = 0; i < points_each; ++i)
      f.points.emplace_back(static_cast<float>(k), 0.1F * static_cast<float>(i), 0.0F);
  }
  f.patches = partition_points(f.points, f.superpoints, Threads::none());
  fill(f.as_source.coarse, clusters, 1.0F);
  fill(f.as_source.fine, clusters * points_each, 10.0F);
  f.as_target = f.as_source;
  return f;
}

TEST(MatchPair, a_fragment_matches_itself) {
  const FragmentFeatures f = fragment(5, 4, 32);
  MatchOptions options;
  options.coarse.count = 5;
  const PairMatches matches = match_pair(f, f, 1.0F, options, Threads::none());
  ASSERT_EQ(matches.superpoints.size(), 5U);
  for (const SuperpointMatch& match : matches.superpoints) EXPECT_EQ(match.source, match.target);
  // Every point finds itself, with nearly all of its share.
  int self = 0;
  for (const Correspondence& c : matches.correspondences) {
    if (c.source != c.target) continue;
    ++self;
    EXPECT_GT(c.score, 0.9F);
  }
  EXPECT_EQ(self, 20);
}

TEST(MatchPair, superpoints_without_points_take_no_part) {
  FragmentFeatures f = fragment(3, 2, 16);
  f.superpoints.emplace_back(100.0F, 0.0F, 0.0F);
  f.as_source.coarse.rows = 4;
  const std::vector<float> twin(f.as_source.coarse.row(0).begin(), f.as_source.coarse.row(0).end());
  f.as_source.coarse.values.insert(f.as_source.coarse.values.end(), twin.begin(), twin.end());
  f.as_target = f.as_source;
  f.patches = partition_points(f.points, f.superpoints, Threads::none());
  const auto superpoints =
      match_superpoints(f.as_source.coarse, f.patches, f.as_target.coarse, f.patches, {}, Threads::none());
  EXPECT_EQ(superpoints.size(), 9U);
  for (const SuperpointMatch& match : superpoints) {
    EXPECT_NE(match.source, 3);
    EXPECT_NE(match.target, 3);
  }
}

TEST(MatchPair, scores_are_sorted_and_ties_go_by_index) {
  FragmentFeatures f = fragment(4, 1, 8);
  for (auto* role : {&f.as_source, &f.as_target}) {
    for (std::int64_t i = 1; i < 4; ++i) {
      std::copy_n(role->coarse.values.begin(), 8, role->coarse.values.begin() + i * 8);
    }
  }
  const auto superpoints =
      match_superpoints(f.as_source.coarse, f.patches, f.as_target.coarse, f.patches, {}, Threads::none());
  ASSERT_EQ(superpoints.size(), 16U);
  for (std::size_t i = 0; i < superpoints.size(); ++i) {
    EXPECT_EQ(superpoints[i].source, static_cast<std::int32_t>(i / 4));
    EXPECT_EQ(superpoints[i].target, static_cast<std::int32_t>(i % 4));
  }
}

TEST(MatchOptions, are_checked) {
  MatchOptions options;
  EXPECT_TRUE(options.validate().ok());
  options.coarse.count = 0;
  EXPECT_FALSE(options.validate().ok());
  options = {};
  options.correspondences.min_score = 1.0F;
  EXPECT_FALSE(options.validate().ok());
}

}  // namespace
}  // namespace pmtr
