// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/likely_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmtr {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(LikelyPairs, are_the_best_of_each_fragment) {
  const std::vector<PairScore> scores = {{0, 1, 5.0, true}, {0, 2, 4.0, true}, {0, 3, 1.0, true},
                                         {1, 2, 3.0, true}, {1, 3, 0.5, true}, {2, 3, 2.0, true}};
  std::vector<std::pair<int, int>> all;
  for (const PairScore& score : scores) all.emplace_back(score.a, score.b);
  // 1 and 0 want each other, 2 wants 0, 3 wants 2.
  EXPECT_THAT(likely_pairs(all, scores, 4, 1), ElementsAre(Pair(0, 1), Pair(0, 2), Pair(2, 3)));
  EXPECT_EQ(likely_pairs(all, scores, 4, 3), all);
}

TEST(LikelyPairs, are_all_where_nothing_was_compared) {
  const std::vector<std::pair<int, int>> all = {{0, 1}, {0, 2}, {1, 2}};
  const std::vector<PairScore> scores = {{0, 1, 0.0, false}, {0, 2, 0.0, false}, {1, 2, 0.0, false}};
  EXPECT_EQ(likely_pairs(all, scores, 3, 1), all);
}

TEST(LargePairs, are_those_of_two_large_groups_and_the_largest_where_there_are_too_many) {
  const std::vector<std::size_t> sizes = {9, 1, 4, 30, 3};
  const std::vector<std::pair<int, int>> all = {{0, 1}, {0, 2}, {0, 3}, {0, 4},
                                                {1, 3}, {2, 3}, {2, 4}, {3, 4}};
  EXPECT_THAT(large_pairs(all, sizes, 4, 100), ElementsAre(Pair(0, 3), Pair(0, 2), Pair(2, 3)));
  EXPECT_THAT(large_pairs(all, sizes, 4, 2), ElementsAre(Pair(0, 3), Pair(0, 2)));
  EXPECT_THAT(large_pairs(all, sizes, 4, 0), ElementsAre());
  EXPECT_THAT(large_pairs(all, sizes, 10, 100), ElementsAre());
}

}  // namespace
}  // namespace pmtr
