// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/gather.h"

#include <algorithm>
#include <string>

#include "pmtr/core/check.h"
#include "pmtr/kernels/gather_loops.h"
#include "pmtr/kernels/isa.h"

namespace pmtr::kernels {
namespace {

constexpr std::int64_t queries_per_chunk = 64;
// The backward passes split the channels, not the queries: no two threads add to one number, and each number
// is summed in the order of the queries whatever the split is. Wide pieces, because rows are read in pieces.
std::int64_t channels_per_chunk(std::int64_t channels, const Threads& threads) {
  const std::int64_t even = (channels + threads.count() - 1) / threads.count();
  return std::max<std::int64_t>(32, (even + 15) / 16 * 16);
}

void check_table(const GatherTable& table) {
  PMTR_CHECK(static_cast<std::int64_t>(table.neighbours.size()) == table.queries * table.width,
             std::to_string(table.queries) + " x " + std::to_string(table.width) + " neighbours, but " +
                 std::to_string(table.neighbours.size()));
}

template <class Real>
void check_rows(std::span<Real> values, std::int64_t rows, std::int64_t channels) {
  PMTR_CHECK(static_cast<std::int64_t>(values.size()) == rows * channels,
             std::to_string(rows) + " rows of " + std::to_string(channels) + " channels, but " +
                 std::to_string(values.size()) + " numbers");
}

// Sets the channels from begin to end of every row to 0.
template <class Real>
void clear_columns(std::span<Real> values, std::int64_t channels, std::int64_t begin, std::int64_t end) {
  const auto rows = static_cast<std::int64_t>(values.size()) / channels;
  for (std::int64_t j = 0; j < rows; ++j)
    std::fill(values.data() + j * channels + begin, values.data() + j * channels + end, Real(0));
}

// The support that query i takes its features from, or -1.
std::int64_t nearest(const GatherTable& table, std::int64_t i) {
  if (table.width == 0) return -1;
  const std::int64_t j = table.neighbours[static_cast<std::size_t>(i * table.width)];
  return j >= 0 && j < table.supports ? j : -1;
}

}  // namespace

template <class Real>
void max_pool_forward(const GatherTable& table, std::span<const Real> features, std::int64_t channels,
                      std::span<Real> out, std::span<std::int32_t> winner, Threads& threads) {
  check_table(table);
  check_rows(features, table.supports, channels);
  check_rows(out, table.queries, channels);
  if (!winner.empty()) check_rows(winner, table.queries, channels);
  const GatherLoops<Real>& loops = PMTR_PICK(gather_loops<Real>());
  threads.parallel_for(table.queries, queries_per_chunk, [&](std::int64_t begin, std::int64_t end) {
    loops.max_pool(table.neighbours.data(), table.width, table.supports, features.data(), channels, begin,
                   end, out.data(), winner.empty() ? nullptr : winner.data());
  });
}

template <class Real>
void max_pool_backward(const GatherTable& table, std::span<const std::int32_t> winner,
                       std::span<const Real> d_out, std::int64_t channels, std::span<Real> d_features,
                       Threads& threads) {
  check_rows(winner, table.queries, channels);
  check_rows(d_out, table.queries, channels);
  check_rows(d_features, table.supports, channels);
  threads.parallel_for(channels, channels_per_chunk(channels, threads),
                       [&](std::int64_t begin, std::int64_t end) {
                         clear_columns(d_features, channels, begin, end);
                         for (std::int64_t i = 0; i < table.queries; ++i) {
                           const std::int32_t* from = winner.data() + i * channels;
                           const Real* d = d_out.data() + i * channels;
                           for (std::int64_t c = begin; c < end; ++c)
                             if (from[c] >= 0) d_features.data()[from[c] * channels + c] += d[c];
                         }
                       });
}

template <class Real>
void nearest_forward(const GatherTable& table, std::span<const Real> features, std::int64_t channels,
                     RowsView<Real> out, bool accumulate, Threads& threads) {
  check_table(table);
  check_rows(features, table.supports, channels);
  threads.parallel_for(table.queries, queries_per_chunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t j = nearest(table, i);
      Real* to = out.data + i * out.row_step;
      const Real* from = j >= 0 ? features.data() + j * channels : nullptr;
      if (accumulate && from != nullptr) {
        for (std::int64_t c = 0; c < channels; ++c) to[c] += from[c];
      } else if (!accumulate && from != nullptr) {
        std::copy(from, from + channels, to);
      } else if (!accumulate) {
        std::fill(to, to + channels, Real(0));
      }
    }
  });
}

template <class Real>
void nearest_backward(const GatherTable& table, RowsView<const Real> d_out, std::int64_t channels,
                      std::span<Real> d_features, Threads& threads) {
  check_table(table);
  check_rows(d_features, table.supports, channels);
  threads.parallel_for(channels, channels_per_chunk(channels, threads),
                       [&](std::int64_t begin, std::int64_t end) {
                         clear_columns(d_features, channels, begin, end);
                         for (std::int64_t i = 0; i < table.queries; ++i) {
                           const std::int64_t j = nearest(table, i);
                           if (j < 0) continue;
                           Real* to = d_features.data() + j * channels;
                           const Real* d = d_out.data + i * d_out.row_step;
                           for (std::int64_t c = begin; c < end; ++c) to[c] += d[c];
                         }
                       });
}

#define PMTR_INSTANTIATE(Real)                                                                              \
  template void max_pool_forward(const GatherTable&, std::span<const Real>, std::int64_t, std::span<Real>,  \
                                 std::span<std::int32_t>, Threads&);                                        \
  template void max_pool_backward(const GatherTable&, std::span<const std::int32_t>, std::span<const Real>, \
                                  std::int64_t, std::span<Real>, Threads&);                                 \
  template void nearest_forward(const GatherTable&, std::span<const Real>, std::int64_t, RowsView<Real>,    \
                                bool, Threads&);                                                            \
  template void nearest_backward(const GatherTable&, RowsView<const Real>, std::int64_t, std::span<Real>,   \
                                 Threads&);
PMTR_INSTANTIATE(float)
PMTR_INSTANTIATE(double)
#undef PMTR_INSTANTIATE

}  // namespace pmtr::kernels
