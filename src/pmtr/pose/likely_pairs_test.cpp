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

}  // namespace
}  // namespace pmtr
