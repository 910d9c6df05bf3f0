// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/nearest_rows.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

std::vector<float> random_rows(std::size_t rows, std::size_t width, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(rows * width);
  for (float& v : values) v = static_cast<float>(random.normal());
  return values;
}

double distance(const float* a, const float* b, std::size_t width) {
  double sum = 0.0;
  for (std::size_t c = 0; c < width; ++c)
    sum += std::pow(static_cast<double>(a[c]) - static_cast<double>(b[c]), 2);
  return std::sqrt(sum);
}

TEST(NearestRows, are_those_of_a_plain_search) {
  for (const auto& [rows, columns, width] : {std::array{1, 1, 1}, {130, 67, 9}, {64, 200, 64}, {3, 5, 216}}) {
    const auto a = random_rows(rows, width, 1);
    const auto b = random_rows(columns, width, 2);
    Threads threads(2);
    const NearestRows found = find_nearest_rows(a, b, width, threads);
    ASSERT_EQ(found.of_a.size(), static_cast<std::size_t>(rows));
    ASSERT_EQ(found.of_b.size(), static_cast<std::size_t>(columns));
    std::vector<int> of_a(rows), of_b(columns);
    std::vector<double> best_a(rows, 1e30), best_b(columns, 1e30);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        const double d = distance(a.data() + i * width, b.data() + j * width, width);
        if (d < best_a[i]) best_a[i] = d, of_a[i] = j;
        if (d < best_b[j]) best_b[j] = d, of_b[j] = i;
      }
    }
    std::size_t mutual = 0;
    for (int i = 0; i < rows; ++i) {
      EXPECT_EQ(found.of_a[i].a, i);
      EXPECT_EQ(found.of_a[i].b, of_a[i]);
      EXPECT_NEAR(static_cast<double>(found.of_a[i].distance), best_a[i], 1e-3);
      mutual += of_b[of_a[i]] == i ? 1 : 0;
    }
    for (int j = 0; j < columns; ++j) EXPECT_EQ(found.of_b[j].a, of_b[j]);
    EXPECT_EQ(found.mutual().size(), mutual);
  }
}

TEST(NearestRows, of_nothing_are_none) {
  const std::vector<float> one(4, 1.0F);
  EXPECT_TRUE(find_nearest_rows({}, one, 4, Threads::none()).of_b.empty());
  EXPECT_TRUE(find_nearest_rows(one, {}, 4, Threads::none()).mutual().empty());
}

TEST(NearestRows, equal_rows_match_the_first) {
  const std::vector<float> same(12, 0.5F);
  const NearestRows found = find_nearest_rows(same, same, 3, Threads::none());
  for (const RowMatch& m : found.of_a) EXPECT_EQ(m.b, 0);
  EXPECT_EQ(found.mutual().size(), 1U);
}

}  // namespace
}  // namespace pmtr
