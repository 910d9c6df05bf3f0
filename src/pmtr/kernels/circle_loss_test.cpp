// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/circle_loss.h"

#include <array>
#include <cmath>
#include <vector>

#include <gmock/gmock.h>

#include "pmtr/core/random.h"
#include "pmtr/kernels/cpu.h"
#include "support/largest_difference.h"

namespace pmtr::kernels {
namespace {

using test::largest_difference;
using test::largest_magnitude;

struct Case {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> distances, overlaps;
  CircleLossOptions options;
};

Case random_case(std::int64_t rows, std::int64_t columns, std::uint64_t seed, double overlapping = 0.1) {
  Random random(seed);
  Case c;
  c.rows = rows;
  c.columns = columns;
  for (std::int64_t k = 0; k < rows * columns; ++k) {
    c.distances.push_back(static_cast<float>(random.uniform(0.0, 2.0)));
    c.overlaps.push_back(random.uniform() < overlapping ? static_cast<float>(random.uniform()) : 0.0);
  }
  return c;
}

/// The definition, entry by entry. The weights come from `frozen`, which the gradient holds constant.
double reference(const Case& c, const std::vector<double>& frozen) {
  const auto& o = c.options;
  const auto direction = [&](std::int64_t count, std::int64_t across, std::int64_t step,
                             std::int64_t step_across) {
    double total = 0;
    std::int64_t counted = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      double positive = 0;
      double negative = 0;
      bool has_positive = false;
      bool has_negative = false;
      for (std::int64_t j = 0; j < across; ++j) {
        const std::size_t k = i * step + j * step_across;
        const bool is_positive = c.overlaps[k] > o.positive_overlap;
        const bool is_negative = c.overlaps[k] == 0;
        has_positive |= is_positive;
        has_negative |= is_negative;
        const double positive_weight =
            is_positive ? std::max(0.0, frozen[k] - o.positive_optimum) * std::sqrt(c.overlaps[k]) : 0;
        const double negative_weight = is_negative ? std::max(0.0, o.negative_optimum - frozen[k]) : 0;
        positive += std::exp(o.log_scale * (c.distances[k] - o.positive_margin) * positive_weight);
        negative += std::exp(o.log_scale * (o.negative_margin - c.distances[k]) * negative_weight);
      }
      if (!has_positive || !has_negative) continue;
      ++counted;
      total += std::log1p(positive * negative) / o.log_scale;  // softplus of the sum of the logs
    }
    return counted > 0 ? total / static_cast<double>(counted) : 0.0;
  };
  return 0.5 * (direction(c.rows, c.columns, c.columns, 1) + direction(c.columns, c.rows, 1, c.columns));
}

template <class Real>
std::pair<double, std::vector<Real>> run(const Case& c, Threads& threads = Threads::none()) {
  const std::vector<Real> distances(c.distances.begin(), c.distances.end());
  const std::vector<Real> overlaps(c.overlaps.begin(), c.overlaps.end());
  std::vector<Real> gradient(distances.size(), Real(7));
  const auto with = circle_loss<Real>(c.rows, c.columns, distances, overlaps, c.options, threads, gradient);
  const auto without = circle_loss<Real>(c.rows, c.columns, distances, overlaps, c.options, threads, {});
  EXPECT_EQ(with.loss, without.loss);
  return {with.loss, gradient};
}

class CircleLossTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { force_portable(GetParam()); }
  void TearDown() override { force_portable(false); }
};
INSTANTIATE_TEST_SUITE_P(Loops, CircleLossTest, testing::Values(false, true),
                         [](const auto& which) { return which.param ? "portable" : "best"; });

TEST_P(CircleLossTest, EqualsTheDefinition) {
  for (const auto& [rows, columns] : {std::array{1, 1}, {1, 9}, {8, 1}, {7, 16}, {33, 50}, {200, 311}}) {
    for (const double overlapping : {0.0, 0.02, 0.3, 1.0}) {
      const auto c = random_case(rows, columns, 1, overlapping);
      const double expected = reference(c, c.distances);
      EXPECT_NEAR(run<double>(c).first, expected, 1e-12 * (1 + expected)) << rows << " " << columns;
      EXPECT_NEAR(run<float>(c).first, expected, 1e-6 * (1 + expected)) << rows << " " << columns;
    }
  }
}

TEST_P(CircleLossTest, GradientIsThatOfTheDefinition) {
  for (const auto& [rows, columns] : {std::array{1, 9}, {7, 5}, {12, 21}}) {
    auto c = random_case(rows, columns, 2, 0.2);
    const auto frozen = c.distances;
    const auto gradient = run<double>(c).second;
    const double step = 1e-6;
    for (std::size_t k = 0; k < frozen.size(); ++k) {
      c.distances[k] = frozen[k] + step;
      const double above = reference(c, frozen);
      c.distances[k] = frozen[k] - step;
      const double below = reference(c, frozen);
      c.distances[k] = frozen[k];
      ASSERT_NEAR(gradient[k], (above - below) / (2 * step), 1e-8) << k;
    }
  }
}

TEST_P(CircleLossTest, FloatGradientIsNearTheDoubleOne) {
  const auto c = random_case(150, 203, 3, 0.05);
  const auto expected = run<double>(c).second;
  EXPECT_LT(largest_difference(run<float>(c).second, expected), 2e-5 * largest_magnitude(expected));
}

TEST_P(CircleLossTest, ScaleBeyondTheRangeOfFloat) {
  auto c = random_case(20, 31, 4, 0.1);
  c.options.log_scale = 100;
  const double expected = reference(c, c.distances);
  const auto [loss, gradient] = run<float>(c);
  EXPECT_NEAR(loss, expected, 1e-6 * expected);
  for (const float d : gradient) EXPECT_TRUE(std::isfinite(d));
  EXPECT_GT(largest_magnitude(gradient), 0);
}

TEST_P(CircleLossTest, NothingToCompare) {
  for (const double overlapping : {0.0, 1.0}) {  // no positive, no negative
    const auto [loss, gradient] = run<float>(random_case(5, 17, 5, overlapping));
    EXPECT_EQ(loss, 0);
    EXPECT_EQ(largest_magnitude(gradient), 0);
  }
  EXPECT_EQ(run<float>(random_case(0, 17, 6)).first, 0);
  EXPECT_EQ(run<float>(random_case(5, 0, 6)).first, 0);
}

TEST_P(CircleLossTest, SameBytesWithAnyTeam) {
  const auto c = random_case(700, 333, 7, 0.02);
  const auto expected = run<float>(c);
  for (const int count : {2, 3}) {
    Threads threads(count);
    EXPECT_EQ(run<float>(c, threads), expected);
  }
}

TEST_P(CircleLossTest, FeatureDistance) {
  const std::vector<double> cosines{-1, -0.5, 0, 0.2, 0.9, 0.999, 1 - 1e-9, 1, 1 + 1e-6, 0.3, 0.4};
  std::vector<double> distances(cosines.size());
  std::vector<double> d_cosines(cosines.size());
  const std::vector<double> ones(cosines.size(), 1.0);
  feature_distance_forward<double>(cosines, feature_distance_floor, Threads::none(), distances);
  feature_distance_backward<double>(distances, feature_distance_floor, ones, Threads::none(), d_cosines);
  for (std::size_t k = 0; k < cosines.size(); ++k) {
    const double square = 2 - 2 * cosines[k];
    EXPECT_NEAR(distances[k], std::sqrt(std::max(square, 1e-12)), 1e-15);
    EXPECT_NEAR(d_cosines[k], square > 1e-12 ? -1 / std::sqrt(square) : 0, 1e-6);
  }
  const std::vector<float> single(cosines.begin(), cosines.end());
  std::vector<float> in_place(single.size());
  std::vector<float> gradient(single.size(), 1.0F);
  feature_distance_forward<float>(single, feature_distance_floor, Threads::none(), in_place);
  EXPECT_LT(largest_difference(in_place, distances), 1e-4);  // at cos = 1 - 1e-9, which float rounds to 1
  feature_distance_backward<float>(in_place, feature_distance_floor, gradient, Threads::none(), gradient);
  for (const float d : gradient) EXPECT_TRUE(std::isfinite(d));
  EXPECT_EQ(gradient[7], 0);
}

}  // namespace
}  // namespace pmtr::kernels
