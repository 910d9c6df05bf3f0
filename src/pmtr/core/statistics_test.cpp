// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/statistics.h"

#include <gtest/gtest.h>

namespace pmtr {
namespace {

TEST(Percentile, is_one_of_the_values) {
  const std::vector<double> values{40, 10, 30, 20};
  EXPECT_EQ(percentile(values, 0.0), 10);
  EXPECT_EQ(percentile(values, 0.5), 20);
  EXPECT_EQ(percentile(values, 0.99), 30);
  EXPECT_EQ(percentile(values, 1.0), 40);
  EXPECT_EQ(percentile(std::vector<float>{}, 0.5), 0.0F);
}

TEST(Median, is_the_upper_middle) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 3, 1, 2}), 3);
  EXPECT_EQ(median(std::vector<double>{}), 0);
}

TEST(InterpolatedPercentile, goes_straight_between_two_values) {
  const std::vector<double> sorted{0, 10, 20};
  EXPECT_DOUBLE_EQ(interpolated_percentile(sorted, 0.5), 10);
  EXPECT_DOUBLE_EQ(interpolated_percentile(sorted, 0.75), 15);
  EXPECT_EQ(interpolated_percentile(sorted, 1.0), 20);
  EXPECT_EQ(interpolated_percentile({}, 0.3), 0);
}

}  // namespace
}  // namespace pmtr
