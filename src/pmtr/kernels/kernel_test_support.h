// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/core/threads.h"
#include "pmtr/kernels/cpu.h"

namespace pmtr::kernels {

/// Both instruction sets, for tests that run a kernel in each.
inline void with_every_isa(const std::function<void()>& test) {
  for (const bool portable : {true, false}) {
    force_portable(portable);
    SCOPED_TRACE(portable ? "portable loops" : "fastest loops");
    test();
  }
  force_portable(false);
}

template <class Real>
std::vector<Real> random_values(std::int64_t count, Random& random, double low = -1, double high = 1) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  for (Real& value : values) value = static_cast<Real>(random.uniform(low, high));
  return values;
}

/// [queries, width] of `supports` points; `supports` is none. Some rows are empty, some full, some padded in
/// the middle; a support may appear twice.
inline std::vector<std::int32_t> random_neighbours(std::int64_t queries, std::int64_t supports,
                                                   std::int64_t width, Random& random) {
  std::vector<std::int32_t> neighbours;
  for (std::int64_t i = 0; i < queries; ++i) {
    const double kind = random.uniform();
    for (std::int64_t j = 0; j < width; ++j) {
      const bool none = supports == 0 || kind < 0.15 || (kind < 0.6 && random.uniform() < 0.3);
      neighbours.push_back(static_cast<std::int32_t>(
          none ? supports : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(supports)))));
    }
  }
  return neighbours;
}

/// Every pair within `ulps` roundings of `scale`, the size of the terms that were summed.
template <class Real, class Wanted>
void expect_close(const std::vector<Real>& got, const std::vector<Wanted>& wanted, double scale,
                  double ulps) {
  ASSERT_EQ(got.size(), wanted.size());
  const double tolerance = scale * ulps * static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(static_cast<double>(got[i]), static_cast<double>(wanted[i]), tolerance) << "at " << i;
}

/// `gradient` against central differences of `loss` with respect to `values`, which loss() reads.
inline void expect_gradient(std::vector<double>& values, const std::vector<double>& gradient,
                            const std::function<double()>& loss, double tolerance = 1e-6) {
  ASSERT_EQ(values.size(), gradient.size());
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double kept = values[i];
    values[i] = kept + step;
    const double above = loss();
    values[i] = kept - step;
    const double below = loss();
    values[i] = kept;
    ASSERT_NEAR(gradient[i], (above - below) / (2 * step), tolerance * (1 + std::abs(gradient[i])))
        << "at " << i;
  }
}

template <class Real>
double dot(const std::vector<Real>& a, const std::vector<Real>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

/// run(threads) gives the same values, bit for bit, with 1, 2 and 3 threads and when repeated.
inline void expect_same_bits(const std::function<std::vector<float>(Threads&)>& run) {
  with_every_isa([&] {
    const std::vector<float> wanted = run(Threads::none());
    for (const int count : {1, 2, 3}) {
      Threads threads(count);
      for (int repeat = 0; repeat < 10; ++repeat)
        ASSERT_EQ(run(threads), wanted) << count << " threads, repeat " << repeat;
    }
  });
}

}  // namespace pmtr::kernels
