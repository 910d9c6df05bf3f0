// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/point_norm.h"

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

std::vector<double> random_numbers(std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = static_cast<float>(random.normal() + 0.3);
  return numbers;
}

template <class Real>
std::vector<Real> as(const std::vector<double>& v) {
  return {v.begin(), v.end()};
}

double weighted_sum(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

template <class Loss>
double slope_at(double& x, const Loss& loss) {
  const double centre = x;
  const double step = 1e-6;
  x = centre + step;
  const double above = loss();
  x = centre - step;
  const double below = loss();
  x = centre;
  return (above - below) / (2 * step);
}

class PointNorm : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { force_portable(GetParam()); }
  void TearDown() override { force_portable(false); }
};
INSTANTIATE_TEST_SUITE_P(Loops, PointNorm, testing::Values(false, true),
                         [](const auto& which) { return which.param ? "portable" : "best"; });

std::vector<double> l2_reference(const std::vector<double>& x, std::int64_t channels) {
  auto y = x;
  for (std::size_t r = 0; r < x.size(); r += channels) {
    double sum = 0;
    for (std::int64_t c = 0; c < channels; ++c) sum += x[r + c] * x[r + c];
    for (std::int64_t c = 0; c < channels; ++c) y[r + c] /= std::max(std::sqrt(sum), 1e-12);
  }
  return y;
}

TEST_P(PointNorm, L2EqualsTheDefinition) {
  for (const std::int64_t channels : {1, 3, 4, 16, 21, 64, 512}) {
    for (const std::int64_t rows : {1, 2, 333}) {
      const auto x = random_numbers(rows * channels, channels);
      const auto expected = l2_reference(x, channels);
      std::vector<double> y(x.size());
      l2_normalise_forward<double>(x, channels, Threads::none(), y);
      EXPECT_LT(largest_difference(y, expected), 1e-14);
      std::vector<float> single(x.size());
      l2_normalise_forward<float>(as<float>(x), channels, Threads::none(), single);
      EXPECT_LT(largest_difference(single, expected), 5e-7);
    }
  }
}

TEST_P(PointNorm, L2GradientIsThatOfTheDefinition) {
  for (const std::int64_t channels : {1, 4, 16, 21}) {
    auto x = random_numbers(3 * channels, 11);
    const auto weights = random_numbers(x.size(), 12);
    std::vector<double> d_x(x.size(), 7.0);
    l2_normalise_backward<double>(x, channels, weights, Threads::none(), d_x);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double expected =
          slope_at(x[k], [&] { return weighted_sum(l2_reference(x, channels), weights); });
      EXPECT_NEAR(d_x[k], expected, 1e-6 * std::max(1.0, std::abs(expected)));
    }
    if (channels == 1) continue;  // the gradient is 0: in float there is only the rounding of d_y / |x|
    std::vector<float> single(x.size());
    l2_normalise_backward<float>(as<float>(x), channels, as<float>(weights), Threads::none(), single);
    EXPECT_LT(largest_difference(single, d_x), 1e-6 * std::max(1.0, largest_magnitude(d_x)));
  }
}

TEST_P(PointNorm, L2OfAZeroRow) {
  const std::vector<float> x(16, 0.0F);
  std::vector<float> y(16, 7.0F);
  l2_normalise_forward<float>(x, 16, Threads::none(), y);
  EXPECT_EQ(y, x);
  std::vector<float> d_x(16);
  l2_normalise_backward<float>(x, 16, std::vector<float>(16, 1.0F), Threads::none(), d_x);
  for (const float d : d_x) EXPECT_FLOAT_EQ(d, 1e12F);  // as torch: divided by a constant floor
}

struct Case {
  PointNormShape shape;
  std::int64_t points = 0;
  std::vector<double> x, weight, bias, weights;
};

Case random_case(std::int64_t points, std::int64_t factors, std::int64_t channels) {
  Case c;
  c.shape = {.factors = factors, .channels = channels};
  c.points = points;
  c.x = random_numbers(points * factors * channels, 21);
  c.weight = random_numbers(channels, 22);
  c.bias = random_numbers(channels, 23);
  c.weights = random_numbers(c.x.size(), 24);
  return c;
}

std::vector<double> reference(const Case& c) {
  auto y = c.x;
  const auto& [factors, channels, epsilon, slope] = c.shape;
  for (std::int64_t n = 0; n < c.points; ++n) {
    for (std::int64_t k = 0; k < channels; ++k) {
      const auto at = [&, first = n * factors * channels + k](std::int64_t f) -> std::size_t {
        return first + f * c.shape.channels;
      };
      double mean = 0;
      double square = 0;
      for (std::int64_t f = 0; f < factors; ++f) mean += c.x[at(f)] / static_cast<double>(factors);
      for (std::int64_t f = 0; f < factors; ++f)
        square += (c.x[at(f)] - mean) * (c.x[at(f)] - mean) / static_cast<double>(factors);
      for (std::int64_t f = 0; f < factors; ++f) {
        const double z = (c.x[at(f)] - mean) / std::sqrt(square + epsilon) * c.weight[k] + c.bias[k];
        y[at(f)] = z > 0 ? z : slope * z;
      }
    }
  }
  return y;
}

/// d_input, d_weight, d_bias.
template <class Real>
std::vector<Real> backward(const Case& c, Threads& threads = Threads::none()) {
  std::vector<Real> d_x(c.x.size(), Real(7));
  std::vector<Real> d_weight(c.weight.size(), Real(7));
  std::vector<Real> d_bias(c.bias.size(), Real(7));
  point_norm_backward<Real>(c.shape, as<Real>(c.x), as<Real>(c.weight), as<Real>(c.bias), as<Real>(c.weights),
                            threads, d_x, d_weight, d_bias);
  d_x.insert(d_x.end(), d_weight.begin(), d_weight.end());
  d_x.insert(d_x.end(), d_bias.begin(), d_bias.end());
  return d_x;
}

template <class Real>
std::vector<Real> forward(const Case& c, Threads& threads = Threads::none()) {
  std::vector<Real> y(c.x.size(), Real(7));
  point_norm_forward<Real>(c.shape, as<Real>(c.x), as<Real>(c.weight), as<Real>(c.bias), threads, y);
  return y;
}

TEST_P(PointNorm, EqualsTheDefinition) {
  for (const std::int64_t points : {0, 1, 2, 130}) {
    for (const std::int64_t factors : {2, 3, 8, 32, 64}) {
      for (const std::int64_t channels : {1, 3, 4, 8, 16, 21}) {
        const auto c = random_case(points, factors, channels);
        const auto expected = reference(c);
        ASSERT_LT(largest_difference(forward<double>(c), expected), 1e-10) << factors << " " << channels;
        // Two near factors: their rounding is divided by a deviation that may be as small as sqrt(epsilon).
        ASSERT_LT(largest_difference(forward<float>(c), expected), factors < 8 ? 1e-4 : 1e-5)
            << factors << " " << channels;
      }
    }
  }
}

TEST_P(PointNorm, GradientIsThatOfTheDefinition) {
  for (const auto& [factors, channels] : {std::array{2, 4}, {3, 4}, {8, 16}, {5, 21}, {1, 4}}) {
    auto c = random_case(2, factors, channels);
    const auto gradient = backward<double>(c);
    std::size_t k = 0;
    for (auto* numbers : {&c.x, &c.weight, &c.bias}) {
      for (double& x : *numbers) {
        const double expected = slope_at(x, [&] { return weighted_sum(reference(c), c.weights); });
        ASSERT_NEAR(gradient[k], expected, 1e-6 * std::max(1.0, std::abs(expected))) << k;
        ++k;
      }
    }
    ASSERT_EQ(k, gradient.size());
  }
}

TEST_P(PointNorm, FloatGradientIsNearTheDoubleOne) {
  for (const auto& [factors, channels] : {std::array{8, 4}, {32, 4}, {16, 16}, {32, 16}, {6, 21}}) {
    const auto c = random_case(300, factors, channels);
    const auto expected = backward<double>(c);
    EXPECT_LT(largest_difference(backward<float>(c), expected), 2e-6 * largest_magnitude(expected));
  }
}

TEST_P(PointNorm, SameBytesWithAnyTeam) {
  for (const std::int64_t channels : {4, 16, 7}) {
    const auto c = random_case(500, 32, channels);
    const auto y = forward<float>(c);
    const auto gradient = backward<float>(c);
    for (const int count : {2, 3}) {
      Threads threads(count);
      EXPECT_EQ(forward<float>(c, threads), y);
      EXPECT_EQ(backward<float>(c, threads), gradient);
    }
  }
}

}  // namespace
}  // namespace pmtr::kernels
