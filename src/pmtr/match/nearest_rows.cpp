// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/nearest_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pmtr/core/check.h"
#include "pmtr/kernels/gemm.h"

namespace pmtr {
namespace {

constexpr std::int64_t block_rows = 64;

struct NearestRow {
  float value = -std::numeric_limits<float>::infinity();
  std::int32_t row = 0;
};

/// Minus half of each row's squared length: a product plus this orders by distance.
std::vector<float> half_lengths(std::span<const float> rows, std::int64_t width) {
  std::vector<float> result;
  for (auto row = rows.begin(); row != rows.end(); row += width) {
    double sum = 0.0;
    for (auto v = row; v != row + width; ++v) sum += static_cast<double>(*v) * static_cast<double>(*v);
    result.push_back(static_cast<float>(-0.5 * sum));
  }
  return result;
}

float distance_of(float half_negative_square) {
  return std::sqrt(std::max(0.0F, -2.0F * half_negative_square));
}

}  // namespace

std::vector<RowMatch> NearestRows::mutual() const {
  std::vector<RowMatch> result;
  for (const RowMatch& match : of_a) {
    if (of_b[static_cast<std::size_t>(match.b)].a == match.a) result.push_back(match);
  }
  return result;
}

NearestRows find_nearest_rows(std::span<const float> a, std::span<const float> b, std::int64_t width,
                              Threads& threads) {
  PMTR_CHECK(width > 0 && a.size() % static_cast<std::size_t>(width) == 0 &&
                 b.size() % static_cast<std::size_t>(width) == 0,
             "rows of one width");
  NearestRows result;
  const auto rows = static_cast<std::int64_t>(a.size()) / width;
  const auto columns = static_cast<std::int64_t>(b.size()) / width;
  if (rows == 0 || columns == 0) return result;
  const std::vector<float> half_a = half_lengths(a, width);
  const std::vector<float> half_b = half_lengths(b, width);
  const kernels::PackedMatrix<float> packed(kernels::row_major(b.data(), columns, width).transposed(),
                                            threads);
  result.of_a.resize(static_cast<std::size_t>(rows));
  const std::int64_t blocks = (rows + block_rows - 1) / block_rows;
  const auto row_of = [&](std::int64_t block) { return std::min(rows, block * block_rows); };
  std::vector<std::vector<NearestRow>> by_block(static_cast<std::size_t>(blocks));
  threads.parallel_for(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> products(static_cast<std::size_t>(block_rows * columns));
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t first = row_of(block), last = row_of(block + 1);
      packed.multiply(kernels::row_major(a.data() + first * width, last - first, width),
                      {products.data(), columns, half_b.data(), false});
      std::vector<NearestRow>& best = by_block[static_cast<std::size_t>(block)];
      best.resize(static_cast<std::size_t>(columns));
      for (std::int64_t i = first; i < last; ++i) {
        const float* row = products.data() + (i - first) * columns;
        const float own = half_a[static_cast<std::size_t>(i)];
        NearestRow nearest;
        for (std::int64_t j = 0; j < columns; ++j) {
          if (row[j] > nearest.value) nearest = {row[j], static_cast<std::int32_t>(j)};
          NearestRow& other = best[static_cast<std::size_t>(j)];
          if (row[j] + own > other.value) other = {row[j] + own, static_cast<std::int32_t>(i)};
        }
        result.of_a[static_cast<std::size_t>(i)] = {static_cast<std::int32_t>(i), nearest.row,
                                                    distance_of(nearest.value + own)};
      }
    }
  });
  for (std::int64_t j = 0; j < columns; ++j) {
    NearestRow best;
    for (const auto& block : by_block) {
      if (block[static_cast<std::size_t>(j)].value > best.value) best = block[static_cast<std::size_t>(j)];
    }
    result.of_b.push_back({best.row, static_cast<std::int32_t>(j), distance_of(best.value)});
  }
  return result;
}

}  // namespace pmtr
