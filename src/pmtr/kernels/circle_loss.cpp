// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/circle_loss.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "pmtr/core/check.h"
#include "pmtr/kernels/circle_loss_loops.h"
#include "pmtr/kernels/isa.h"

namespace pmtr::kernels {
namespace {

constexpr std::int64_t entries_per_chunk = 32768;

/// The largest exponents that distances in [0, 2] can give.
double largest_positive_exponent(const CircleLossOptions& o) {
  return o.log_scale * (2 - o.positive_margin) * std::max(0.0, 2 - o.positive_optimum);
}
double largest_negative_exponent(const CircleLossOptions& o) {
  return o.log_scale * o.negative_margin * std::max(0.0, o.negative_optimum);
}

/// Storage of the sums of rows or columns.
template <class Real>
struct Sums {
  std::vector<Real> negative;
  std::vector<double> others;

  explicit Sums(std::int64_t count) : negative(count, Real(0)), others(3 * count, 0.0) {}
  CircleSums<Real> at() {
    const std::size_t count = negative.size();
    return {negative.data(), others.data(), others.data() + count, others.data() + 2 * count};
  }
};

template <class Real>
struct Factors {
  std::vector<double> positive;
  std::vector<Real> negative;

  explicit Factors(std::int64_t count) : positive(count, 0.0), negative(count, Real(0)) {}
  CircleFactors<Real> at() { return {positive.data(), negative.data()}; }
};

/// softplus(P + N) / s of each row (or column) of `across` entries that counts, their mean, and the factors
/// of half that mean's gradient.
template <class Sum, class Real>
double mean_loss(const CircleSums<Sum>& sums, std::int64_t count, std::int64_t across, double log_scale,
                 std::int64_t& counted, Factors<Real>& factors) {
  double total = 0;
  counted = 0;
  const auto counts = [&](std::int64_t k) {
    return sums.positives[k] > 0 && sums.overlapping[k] < static_cast<double>(across);
  };
  for (std::int64_t k = 0; k < count; ++k) counted += counts(k) ? 1 : 0;
  for (std::int64_t k = 0; k < count; ++k) {
    if (!counts(k)) continue;  // its factors stay 0
    const double positive = sums.positive[k] + static_cast<double>(across) - sums.positives[k];
    const auto negative = static_cast<double>(sums.negative[k]);
    const double x = std::log(positive) + std::log(negative);
    total += (std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)))) / log_scale;
    const double slope = 1 / (1 + std::exp(-x)) / (2 * static_cast<double>(counted));
    factors.positive[k] = slope / positive;
    factors.negative[k] = static_cast<Real>(slope / negative);
  }
  return counted > 0 ? total / static_cast<double>(counted) : 0;
}

template <class Real>
CircleData<Real> circle_data(std::int64_t columns, std::span<const Real> distances,
                             std::span<const Real> overlaps, const CircleLossOptions& options,
                             std::span<Real> d_distances) {
  CircleData<Real> data;
  data.columns = columns;
  data.distances = distances.data();
  data.overlaps = overlaps.data();
  data.positive_overlap = static_cast<Real>(options.positive_overlap);
  data.positive_margin = static_cast<Real>(options.positive_margin);
  data.negative_margin = static_cast<Real>(options.negative_margin);
  data.positive_optimum = static_cast<Real>(options.positive_optimum);
  data.negative_optimum = static_cast<Real>(options.negative_optimum);
  data.log_scale = static_cast<Real>(options.log_scale);
  data.terms = d_distances.empty() ? nullptr : d_distances.data();
  return data;
}

}  // namespace

template <class Real>
void feature_distance_forward(std::span<const Real> cosines, double floor, Threads& threads,
                              std::span<Real> distances) {
  PMTR_CHECK(cosines.size() == distances.size() && floor >= 0);
  const auto loop = PMTR_PICK(feature_distance<Real>);
  threads.parallel_for(static_cast<std::int64_t>(cosines.size()), entries_per_chunk,
                       [&](std::int64_t begin, std::int64_t end) {
                         loop(cosines.data(), static_cast<Real>(floor), begin, end, distances.data());
                       });
}

template <class Real>
void feature_distance_backward(std::span<const Real> distances, double floor,
                               std::span<const Real> d_distances, Threads& threads,
                               std::span<Real> d_cosines) {
  PMTR_CHECK(distances.size() == d_distances.size() && distances.size() == d_cosines.size() && floor >= 0);
  const Real least = std::sqrt(static_cast<Real>(floor));
  const auto loop = PMTR_PICK(feature_distance_reverse<Real>);
  threads.parallel_for(static_cast<std::int64_t>(distances.size()), entries_per_chunk,
                       [&](std::int64_t begin, std::int64_t end) {
                         loop(distances.data(), least, d_distances.data(), begin, end, d_cosines.data());
                       });
}

template <class Real>
CircleLoss circle_loss(std::int64_t rows, std::int64_t columns, std::span<const Real> distances,
                       std::span<const Real> overlaps, const CircleLossOptions& options, Threads& threads,
                       std::span<Real> d_distances) {
  PMTR_CHECK(rows >= 0 && columns >= 0 && static_cast<std::int64_t>(distances.size()) == rows * columns,
             "distances are [rows, columns]");
  PMTR_CHECK(overlaps.size() == distances.size(), "overlaps are [rows, columns]");
  PMTR_CHECK(d_distances.empty() || d_distances.size() == distances.size());
  PMTR_CHECK(options.log_scale > 0 && largest_positive_exponent(options) < 700 &&
                 largest_negative_exponent(options) < 700,
             "log_scale is too large");
  if (distances.empty()) return {};
  if constexpr (std::is_same_v<Real, float>) {
    if (largest_negative_exponent(options) > 60) {  // sums leave the range of float: rare, double does it
      const std::vector<double> wide_distances(distances.begin(), distances.end());
      const std::vector<double> wide_overlaps(overlaps.begin(), overlaps.end());
      std::vector<double> wide_gradient(d_distances.size());
      const auto loss =
          circle_loss<double>(rows, columns, wide_distances, wide_overlaps, options, threads, wide_gradient);
      std::transform(wide_gradient.begin(), wide_gradient.end(), d_distances.begin(),
                     [](double d) { return static_cast<float>(d); });
      return loss;
    }
  }
  const CircleData<Real> data = circle_data(columns, distances, overlaps, options, d_distances);
  const std::int64_t chunk = std::max<std::int64_t>(1, entries_per_chunk / columns);
  const std::int64_t chunks = (rows + chunk - 1) / chunk;
  Sums<Real> row_sums(rows);
  std::vector<Sums<Real>> parts(chunks, Sums<Real>(columns));
  const auto sum = PMTR_PICK(circle_sums<Real>);
  threads.parallel_for(rows, chunk, [&](std::int64_t begin, std::int64_t end) {
    sum(data, begin, end, row_sums.at(), parts[begin / chunk].at());
  });
  Sums<double> column_sums(columns);  // in the order of the rows, whoever worked on them
  for (const auto& part : parts) {
    for (std::int64_t j = 0; j < columns; ++j)
      column_sums.negative[j] += static_cast<double>(part.negative[j]);
    for (std::int64_t j = 0; j < 3 * columns; ++j) column_sums.others[j] += part.others[j];
  }

  CircleLoss result;
  Factors<Real> row_factors(rows);
  Factors<Real> column_factors(columns);
  const double by_rows = mean_loss(row_sums.at(), rows, columns, options.log_scale, result.rows, row_factors);
  const double by_columns =
      mean_loss(column_sums.at(), columns, rows, options.log_scale, result.columns, column_factors);
  result.loss = 0.5 * (by_rows + by_columns);
  if (d_distances.empty()) return result;
  const auto gradient = PMTR_PICK(circle_gradient<Real>);
  threads.parallel_for(rows, chunk, [&](std::int64_t begin, std::int64_t end) {
    gradient(data, begin, end, row_factors.at(), column_factors.at());
  });
  return result;
}

#define PMTR_INSTANTIATE(Real)                                                                            \
  template void feature_distance_forward<Real>(std::span<const Real>, double, Threads&, std::span<Real>); \
  template void feature_distance_backward<Real>(std::span<const Real>, double, std::span<const Real>,     \
                                                Threads&, std::span<Real>);                               \
  template CircleLoss circle_loss<Real>(std::int64_t, std::int64_t, std::span<const Real>,                \
                                        std::span<const Real>, const CircleLossOptions&, Threads&,        \
                                        std::span<Real>);
PMTR_INSTANTIATE(double)
PMTR_INSTANTIATE(float)
#undef PMTR_INSTANTIATE

}  // namespace pmtr::kernels
