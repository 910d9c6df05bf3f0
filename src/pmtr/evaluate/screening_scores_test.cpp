// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/screening_scores.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace pmtr {
namespace {

TEST(ScreeningScores, four_fragments_by_hand) {
  // 0-1 and 2-3 touch. Fragment 0 has its neighbour first, 1 too; 2 and 3 have 0 before each other.
  const std::vector<ScreenedPair> pairs{{0, 1, 9.0, true},  {0, 2, 5.0, false}, {0, 3, 4.0, false},
                                        {1, 2, 1.0, false}, {1, 3, 1.0, false}, {2, 3, 3.0, true}};
  const ScreeningScores scores = score_screening(pairs, std::array{1, 2, 3});
  // Neighbours 9 and 3 against strangers 5, 4, 1, 1: four and two of eight couples in order.
  EXPECT_DOUBLE_EQ(scores.auc, 6.0 / 8.0);
  EXPECT_DOUBLE_EQ(scores.recall_at.at(1), 0.5);
  EXPECT_DOUBLE_EQ(scores.recall_at.at(2), 1.0);
  EXPECT_DOUBLE_EQ(scores.recall_at.at(3), 1.0);
}

TEST(ScreeningScores, nothing_to_find) {
  const std::vector<ScreenedPair> pairs{{0, 1, 9.0, false}};
  const ScreeningScores scores = score_screening(pairs, std::array{5});
  EXPECT_DOUBLE_EQ(scores.auc, 0.5);
  EXPECT_DOUBLE_EQ(scores.recall_at.at(5), 0.0);
}

}  // namespace
}  // namespace pmtr
