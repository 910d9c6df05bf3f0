// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/optimal_transport.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "pmtr/core/random.h"
#include "pmtr/kernels/cpu.h"
#include "support/largest_difference.h"

namespace pmtr::kernels {
namespace {

using test::largest_difference;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  std::vector<TransportPatch> patches;
  std::vector<double> scores;
  std::vector<double> weights;  // of the outputs in a scalar loss
  double alpha = 1;
};

Case random_case(const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& columns,
                 double spread, std::uint64_t seed) {
  Random random(seed);
  Case c;
  c.patches = pack_transport_patches(rows, columns);
  const auto& last = c.patches.back();
  c.scores.resize(last.scores + last.rows * last.columns);
  c.weights.resize(last.output + (last.rows + 1) * (last.columns + 1));
  // Rounded to float so that both types see the same scores.
  for (double& s : c.scores) s = static_cast<float>(spread * random.normal());
  for (double& w : c.weights) w = static_cast<float>(random.normal());
  c.alpha = static_cast<float>(0.3 + random.uniform());
  return c;
}

/// The definition, in logs, without any shortcut.
std::vector<double> reference(const Case& c, int iterations) {
  std::vector<double> output(c.weights.size(), -1);
  for (const auto& p : c.patches) {
    const int m = p.rows;
    const int n = p.columns;
    const auto z = [&](int i, int j) { return i < m && j < n ? c.scores[p.scores + i * n + j] : c.alpha; };
    const double norm = -std::log(m + n);
    std::vector<double> u(m + 1, 0.0);
    std::vector<double> v(n + 1, 0.0);
    for (int t = 0; t < iterations; ++t) {
      for (int i = 0; i <= m; ++i) {
        double top = -infinity;
        for (int j = 0; j <= n; ++j) top = std::max(top, z(i, j) + v[j]);
        double sum = 0;
        for (int j = 0; j <= n; ++j) sum += std::exp(z(i, j) + v[j] - top);
        u[i] = (i < m ? norm : std::log(n) + norm) - top - std::log(sum);
      }
      for (int j = 0; j <= n; ++j) {
        double top = -infinity;
        for (int i = 0; i <= m; ++i) top = std::max(top, z(i, j) + u[i]);
        double sum = 0;
        for (int i = 0; i <= m; ++i) sum += std::exp(z(i, j) + u[i] - top);
        v[j] = (j < n ? norm : std::log(m) + norm) - top - std::log(sum);
      }
    }
    for (int i = 0; i <= m; ++i) {
      for (int j = 0; j <= n; ++j) output[p.output + i * (n + 1) + j] = z(i, j) + u[i] + v[j] - norm;
    }
  }
  return output;
}

template <class Real>
std::vector<Real> forward(const Case& c, const TransportOptions& options,
                          Threads& threads = Threads::none()) {
  const std::vector<Real> scores(c.scores.begin(), c.scores.end());
  std::vector<Real> output(c.weights.size(), Real(7));
  optimal_transport_forward<Real>(c.patches, scores, static_cast<Real>(c.alpha), options, threads, output);
  return output;
}

template <class Real>
std::pair<std::vector<Real>, double> backward(const Case& c, const TransportOptions& options,
                                              Threads& threads = Threads::none()) {
  const std::vector<Real> scores(c.scores.begin(), c.scores.end());
  const std::vector<Real> weights(c.weights.begin(), c.weights.end());
  std::vector<Real> d_scores(c.scores.size(), Real(7));
  const double d_alpha = optimal_transport_backward<Real>(c.patches, scores, static_cast<Real>(c.alpha),
                                                          weights, options, threads, d_scores);
  return {d_scores, d_alpha};
}

double loss(const Case& c, int iterations) {
  const auto output = reference(c, iterations);
  double sum = 0;
  for (std::size_t k = 0; k < output.size(); ++k) sum += output[k] * c.weights[k];
  return sum;
}

class OptimalTransport : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { force_portable(GetParam()); }
  void TearDown() override { force_portable(false); }
};
INSTANTIATE_TEST_SUITE_P(Loops, OptimalTransport, testing::Values(false, true),
                         [](const auto& which) { return which.param ? "portable" : "best"; });

const std::vector<std::int32_t> some_rows{1, 1, 2, 5, 11, 3, 4, 7, 17, 33, 128, 1, 20};
const std::vector<std::int32_t> some_columns{1, 5, 2, 5, 7, 4, 3, 8, 30, 15, 128, 63, 1};

TEST_P(OptimalTransport, EqualsTheDefinition) {
  const Case c = random_case(some_rows, some_columns, 2.0, 1);
  const auto expected = reference(c, 100);
  EXPECT_LT(largest_difference(forward<double>(c, {.tolerance = 0}), expected), 1e-10);
  EXPECT_LT(largest_difference(forward<float>(c, {.tolerance = 0}), expected), 2e-6);
}

TEST_P(OptimalTransport, EarlyStoppingStaysWithinOneMillionth) {
  for (const double spread : {0.0, 0.2, 1.0, 3.0, 8.0}) {
    const Case c = random_case(some_rows, some_columns, spread, 2);
    EXPECT_LT(largest_difference(forward<double>(c, {}), reference(c, 100)), 1e-6) << spread;
  }
}

TEST_P(OptimalTransport, WideScoresFallBackToLogs) {
  Case c = random_case({2, 5, 11, 9}, {3, 5, 7, 1}, 400.0, 3);
  const auto expected = reference(c, 100);
  EXPECT_LT(largest_difference(forward<double>(c, {.tolerance = 0}), expected), 1e-9);
  // The widest spread that the scalings take on themselves.
  c = random_case({5, 11}, {6, 7}, 1.0, 4);
  for (std::size_t k = 0; k < c.scores.size(); ++k) c.scores[k] = c.alpha - (k % 2 == 0 ? 149.0 : 0.0);
  EXPECT_LT(largest_difference(forward<double>(c, {.tolerance = 0}), reference(c, 100)), 1e-9);
}

TEST_P(OptimalTransport, ScoresMayForbidAPair) {
  Case c = random_case({3, 2}, {3, 4}, 1.0, 5);
  c.scores[4] = -infinity;
  const auto output = forward<double>(c, {.tolerance = 0});
  const auto expected = reference(c, 100);
  for (std::size_t k = 0; k < output.size(); ++k) {
    if (std::isinf(expected[k])) {
      EXPECT_EQ(output[k], -infinity);
    } else {
      EXPECT_NEAR(output[k], expected[k], 1e-10);
    }
  }
  const auto [d_scores, d_alpha] = backward<double>(c, {});
  for (const double d : d_scores) EXPECT_TRUE(std::isfinite(d));
  EXPECT_TRUE(std::isfinite(d_alpha));
}

TEST_P(OptimalTransport, PatchesWithoutPoints) {
  const Case c = random_case({0, 3, 0, 2}, {4, 0, 0, 2}, 1.0, 6);
  const auto output = forward<float>(c, {});
  const auto block = [&](int b, int size) {
    const auto begin = output.begin() + c.patches[b].output;
    return std::vector<float>(begin, begin + size);
  };
  const auto none = static_cast<float>(no_mass_log);
  EXPECT_THAT(block(0, 5), testing::ElementsAre(0, 0, 0, 0, none));
  EXPECT_THAT(block(1, 4), testing::ElementsAre(0, 0, 0, none));
  EXPECT_THAT(block(2, 1), testing::ElementsAre(0));
  Case last = c;
  last.patches.erase(last.patches.begin(), last.patches.begin() + 3);
  EXPECT_EQ(backward<double>(c, {}), backward<double>(last, {}));  // the others have no gradient
  const std::vector<TransportPatch> no_patches;
  std::vector<float> nothing;
  optimal_transport_forward<float>(no_patches, nothing, 1.0F, {}, Threads::none(), nothing);
}

TEST_P(OptimalTransport, GradientIsThatOfTheDefinition) {
  for (const double spread : {1.0, 300.0}) {
    for (const int iterations : {1, 2, 7, 100}) {
      Case c = random_case({1, 2, 5, 4, 9}, {1, 3, 5, 8, 2}, spread, 7);
      const TransportOptions options{.iterations = iterations, .tolerance = 0};
      const auto [d_scores, d_alpha] = backward<double>(c, options);
      const double step = 1e-5;
      for (std::size_t k = 0; k < c.scores.size(); ++k) {
        const double centre = c.scores[k];
        c.scores[k] = centre + step;
        const double above = loss(c, iterations);
        c.scores[k] = centre - step;
        const double below = loss(c, iterations);
        c.scores[k] = centre;
        ASSERT_NEAR(d_scores[k], (above - below) / (2 * step), spread > 1 ? 1e-5 : 1e-7)
            << k << " " << iterations;
      }
      const double centre = c.alpha;
      c.alpha = centre + step;
      const double above = loss(c, iterations);
      c.alpha = centre - step;
      const double below = loss(c, iterations);
      c.alpha = centre;
      EXPECT_NEAR(d_alpha, (above - below) / (2 * step), spread > 1 ? 1e-5 : 1e-7);
    }
  }
}

TEST_P(OptimalTransport, GradientSurvivesFloatAndEarlyStopping) {
  const Case c = random_case(some_rows, some_columns, 2.0, 8);
  const auto [exact, exact_alpha] = backward<double>(c, {.tolerance = 0});
  const auto [stopped, stopped_alpha] = backward<double>(c, {});
  const auto [single, single_alpha] = backward<float>(c, {});
  EXPECT_LT(largest_difference(stopped, exact), 1e-6);
  EXPECT_LT(largest_difference(single, exact), 1e-5);
  EXPECT_NEAR(stopped_alpha, exact_alpha, 1e-5);
  EXPECT_NEAR(single_alpha, exact_alpha, 1e-4);
}

TEST_P(OptimalTransport, SameBytesWithAnyTeam) {
  const Case c = random_case(some_rows, some_columns, 2.0, 9);
  const auto output = forward<float>(c, {});
  const auto gradient = backward<float>(c, {});
  for (const int count : {2, 3}) {
    Threads threads(count);
    EXPECT_EQ(forward<float>(c, {}, threads), output);
    EXPECT_EQ(backward<float>(c, {}, threads), gradient);
  }
}

TEST(OptimalTransportLoops, PortableAndBestAgree) {
  const Case c = random_case(some_rows, some_columns, 2.0, 10);
  const auto best = forward<double>(c, {.tolerance = 0});
  const auto best_gradient = backward<double>(c, {.tolerance = 0});
  force_portable(true);
  EXPECT_LT(largest_difference(forward<double>(c, {.tolerance = 0}), best), 1e-11);
  const auto gradient = backward<double>(c, {.tolerance = 0});
  force_portable(false);
  EXPECT_LT(largest_difference(gradient.first, best_gradient.first), 1e-11);
}

}  // namespace
}  // namespace pmtr::kernels
