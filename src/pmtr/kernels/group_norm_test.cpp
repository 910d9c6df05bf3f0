// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/group_norm.h"

#include <cmath>

#include "pmtr/kernels/kernel_test_support.h"

namespace pmtr::kernels {
namespace {

template <class Real>
struct Case {
  std::vector<Real> x, shortcut, gamma, beta, mean, rstd;
  GroupNorm<Real> norm;
  GroupStatistics<Real> statistics;

  Case(std::int64_t rows, std::int64_t channels, std::int64_t groups, double slope, Random& random,
       double offset = 0)
      : x(random_values<Real>(rows * channels, random, offset - 1, offset + 1)),
        shortcut(random_values<Real>(rows * channels, random)),
        gamma(random_values<Real>(channels, random, 0.5, 1.5)),
        beta(random_values<Real>(channels, random)),
        mean(static_cast<std::size_t>(groups)),
        rstd(static_cast<std::size_t>(groups)),
        norm{rows, channels, groups, static_cast<Real>(1e-5), static_cast<Real>(slope), gamma, beta},
        statistics{mean, rstd} {}
};

// Two passes in long double.
template <class Real>
std::vector<double> plain_group_norm(const Case<Real>& example, bool with_shortcut) {
  const auto rows = static_cast<std::size_t>(example.norm.rows);
  const auto channels = static_cast<std::size_t>(example.norm.channels);
  const auto per_group = channels / static_cast<std::size_t>(example.norm.groups);
  std::vector<double> out(rows * channels);
  for (std::size_t first = 0; first < channels; first += per_group) {
    long double sum = 0, squares = 0;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = first; c < first + per_group; ++c)
        sum += static_cast<long double>(example.x[r * channels + c]);
    const long double mean = sum / static_cast<long double>(rows * per_group);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = first; c < first + per_group; ++c) {
        const long double d = static_cast<long double>(example.x[r * channels + c]) - mean;
        squares += d * d;
      }
    }
    const long double variance = squares / static_cast<long double>(rows * per_group);
    const long double rstd = 1 / std::sqrt(variance + static_cast<long double>(example.norm.epsilon));
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = first; c < first + per_group; ++c) {
        long double y = (static_cast<long double>(example.x[r * channels + c]) - mean) * rstd *
                            static_cast<long double>(example.gamma[c]) +
                        static_cast<long double>(example.beta[c]);
        if (with_shortcut) y += static_cast<long double>(example.shortcut[r * channels + c]);
        if (y < 0) y *= static_cast<long double>(example.norm.slope);
        out[r * channels + c] = static_cast<double>(y);
      }
    }
  }
  return out;
}

struct Shape {
  std::int64_t rows, channels, groups;
};

const std::vector<Shape> shapes = {{0, 4, 2},    {1, 1, 1},    {1, 64, 32},    {64, 64, 32}, {65, 32, 32},
                                   {200, 37, 1}, {129, 45, 5}, {130, 128, 32}, {7, 6, 3}};

template <class Real>
void test_forward(const Shape& s, double slope, bool with_shortcut, Random& random) {
  SCOPED_TRACE(testing::Message() << s.rows << "x" << s.channels << " in " << s.groups << ", slope "
                                  << slope);
  Case<Real> example(s.rows, s.channels, s.groups, slope, random);
  std::vector<Real> out(example.x.size());
  Threads threads(2);
  const std::span<const Real> shortcut = with_shortcut ? example.shortcut : std::span<const Real>();
  group_norm_forward<Real>(example.norm, example.x, shortcut, out, example.statistics, threads);
  // A single value per group is x - x: epsilon makes its rounding 300 times larger.
  const double scale = s.rows * s.channels / s.groups < 3 ? 400 : 4;
  expect_close(out, plain_group_norm(example, with_shortcut), scale, 4);
  // In place.
  std::vector<Real> same = example.x;
  group_norm_forward<Real>(example.norm, same, shortcut, same, example.statistics, threads);
  EXPECT_EQ(same, out);
}

TEST(GroupNorm, MatchesTheDefinition) {
  with_every_isa([] {
    Random random(1);
    for (const Shape& shape : shapes) {
      for (const double slope : {1.0, 0.1, 0.0}) {
        for (const bool with_shortcut : {false, true}) {
          test_forward<float>(shape, slope, with_shortcut, random);
          test_forward<double>(shape, slope, with_shortcut, random);
        }
      }
    }
  });
}

TEST(GroupNorm, IsAccurateFarFromZero) {
  // The mean is 1000 times the spread: the input has 14 bits of signal left, the sums must not lose more. A
  // mean square minus squared mean in float would be wrong in the first digit.
  with_every_isa([] {
    Random random(2);
    Case<float> example(5000, 64, 32, 1.0, random, 1000.0);
    std::vector<float> out(example.x.size());
    Threads threads(2);
    group_norm_forward<float>(example.norm, example.x, {}, out, example.statistics, threads);
    // The mean itself is stored in float: half a rounding of 1000 is 3e-5, times rstd 1.7 and gamma 1.5.
    const auto wanted = plain_group_norm(example, false);
    double worst = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(out[i]) - wanted[i]));
    EXPECT_LT(worst, 1e-4);
  });
}

TEST(GroupNorm, GradientsMatchFiniteDifferences) {
  with_every_isa([] {
    Random random(3);
    for (const Shape& s : std::vector<Shape>{{5, 6, 3}, {3, 21, 7}, {70, 4, 2}, {2, 40, 4}, {1, 8, 1}}) {
      for (const double slope : {1.0, 0.1}) {
        for (const bool with_shortcut : {false, true}) {
          SCOPED_TRACE(testing::Message() << s.rows << "x" << s.channels << " slope " << slope);
          Case<double> example(s.rows, s.channels, s.groups, slope, random);
          const auto d_out = random_values<double>(s.rows * s.channels, random);
          std::vector<double> out(example.x.size()), d_x(out.size()), d_shortcut(out.size()),
              d_gamma(example.gamma.size()), d_beta(d_gamma.size());
          const auto loss = [&] {
            group_norm_forward<double>(example.norm, example.x,
                                       with_shortcut ? example.shortcut : std::span<const double>(), out,
                                       example.statistics, Threads::none());
            return dot(out, d_out);
          };
          loss();
          Threads threads(2);
          GroupNormGradients<double> gradients{d_x, d_gamma, d_beta, {}};
          if (with_shortcut) gradients.shortcut = d_shortcut;
          group_norm_backward<double>(example.norm, example.x, out, {example.mean, example.rstd}, d_out,
                                      gradients, threads);
          expect_gradient(example.x, d_x, loss, 2e-6);
          expect_gradient(example.gamma, d_gamma, loss);
          expect_gradient(example.beta, d_beta, loss);
          if (with_shortcut) expect_gradient(example.shortcut, d_shortcut, loss);
        }
      }
    }
  });
}

TEST(GroupNorm, FloatGradientsMatchDouble) {
  with_every_isa([] {
    Random random(4);
    for (const Shape& s : shapes) {
      if (s.rows * s.channels / s.groups < 3) continue;  // nothing but the rounding of x - x
      SCOPED_TRACE(testing::Message() << s.rows << "x" << s.channels);
      Case<float> fast(s.rows, s.channels, s.groups, 0.1, random);
      Case<double> exact(s.rows, s.channels, s.groups, 0.1, random);
      exact.x.assign(fast.x.begin(), fast.x.end());
      exact.gamma.assign(fast.gamma.begin(), fast.gamma.end());
      exact.beta.assign(fast.beta.begin(), fast.beta.end());
      exact.norm.slope = static_cast<double>(0.1f);
      const auto d_out = random_values<float>(s.rows * s.channels, random);
      const std::vector<double> d_out_exact(d_out.begin(), d_out.end());
      std::vector<float> out(fast.x.size()), d_x(out.size()), d_gamma(fast.gamma.size()),
          d_beta(d_gamma.size());
      std::vector<double> out_exact(out.size()), d_x_exact(out.size()), d_gamma_exact(d_gamma.size()),
          d_beta_exact(d_gamma.size());
      Threads threads(2);
      group_norm_forward<float>(fast.norm, fast.x, {}, out, fast.statistics, threads);
      group_norm_forward<double>(exact.norm, exact.x, {}, out_exact, exact.statistics, threads);
      group_norm_backward<float>(fast.norm, fast.x, out, {fast.mean, fast.rstd}, d_out,
                                 {d_x, d_gamma, d_beta, {}}, threads);
      group_norm_backward<double>(exact.norm, exact.x, out_exact, {exact.mean, exact.rstd}, d_out_exact,
                                  {d_x_exact, d_gamma_exact, d_beta_exact, {}}, threads);
      expect_close(d_x, d_x_exact, 10, 8);
      const double scale = std::sqrt(static_cast<double>(s.rows)) + 2;
      expect_close(d_gamma, d_gamma_exact, scale, 8);
      expect_close(d_beta, d_beta_exact, scale, 8);
    }
  });
}

TEST(GroupNorm, GivesTheSameBitsWithAnyTeam) {
  Random random(5);
  const Case<float> example(700, 96, 32, 0.1, random);
  const auto d_out = random_values<float>(700 * 96, random);
  expect_same_bits([&](Threads& threads) {
    constexpr std::size_t size = 700 * 96;
    std::vector<float> all(3 * size + 2 * 96 + 2 * 32);
    const std::span<float> span = all;
    const GroupStatistics<float> statistics{span.subspan(3 * size + 192, 32), span.last(32)};
    group_norm_forward<float>(example.norm, example.x, example.shortcut, span.first(size), statistics,
                              threads);
    group_norm_backward<float>(example.norm, example.x, span.first(size), {statistics.mean, statistics.rstd},
                               d_out,
                               {span.subspan(size, size), span.subspan(3 * size, 96),
                                span.subspan(3 * size + 96, 96), span.subspan(2 * size, size)},
                               threads);
    return all;
  });
}

}  // namespace
}  // namespace pmtr::kernels
