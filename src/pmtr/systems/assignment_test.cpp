// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/assignment.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

double sum_of(std::span<const float> scores, std::int64_t n, std::span<const std::int32_t> columns) {
  double sum = 0.0;
  for (std::int64_t row = 0; row < n; ++row)
    sum += static_cast<double>(
        scores[static_cast<std::size_t>(row * n + columns[static_cast<std::size_t>(row)])]);
  return sum;
}

TEST(Assignment, is_the_best_of_all_permutations) {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const auto n = static_cast<std::int64_t>(1 + random.below(6));
    std::vector<float> scores(static_cast<std::size_t>(n * n));
    // Few different values make ties.
    for (float& score : scores)
      score = trial % 2 == 0 ? static_cast<float>(random.uniform()) : static_cast<float>(random.below(3));
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    double best = -1e9;
    do {
      best = std::max(best, sum_of(scores, n, order));
    } while (std::next_permutation(order.begin(), order.end()));
    std::vector<std::int32_t> found = best_assignment(scores, n);
    EXPECT_NEAR(sum_of(scores, n, found), best, 1e-5) << n;
    std::sort(found.begin(), found.end());
    std::iota(order.begin(), order.end(), 0);
    EXPECT_EQ(found, order);
  }
  EXPECT_TRUE(best_assignment({}, 0).empty());
}

TEST(Assignment, finds_a_hidden_permutation_among_many) {
  constexpr std::int64_t n = 300;
  Random random(2);
  std::vector<std::int32_t> hidden(n);
  std::iota(hidden.begin(), hidden.end(), 0);
  for (std::uint64_t i = n; i > 1; --i) std::swap(hidden[i - 1], hidden[random.below(i)]);
  std::vector<float> scores(n * n);
  for (float& score : scores) score = static_cast<float>(0.4 * random.uniform());
  for (std::int64_t row = 0; row < n; ++row)
    scores[static_cast<std::size_t>(row * n + hidden[static_cast<std::size_t>(row)])] += 0.5F;
  EXPECT_EQ(best_assignment(scores, n), hidden);
}

}  // namespace
}  // namespace pmtr
