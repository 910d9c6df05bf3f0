// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>

#include "pmtr/core/threads.h"

namespace pmtr::kernels {

/// Which rows of the supports each query looks at.
struct GatherTable {
  std::int64_t queries = 0;
  std::int64_t supports = 0;
  std::int64_t width = 0;
  std::span<const std::int32_t> neighbours;  // [queries, width]; outside [0, supports) means none
};

/// out [queries, channels]: per channel the largest feature among the neighbours. A missing neighbour counts
/// as a row of zeros, as in the original code: so only queries with fewer than `width` neighbours see the
/// zero. `winner` [queries, channels], if not empty, receives the support it came from (the first of equals),
/// or -1 for the zero.
template <class Real>
void max_pool_forward(const GatherTable& table, std::span<const Real> features, std::int64_t channels,
                      std::span<Real> out, std::span<std::int32_t> winner, Threads& threads);

/// d_features [supports, channels] from the winners. The same bits with any number of threads.
template <class Real>
void max_pool_backward(const GatherTable& table, std::span<const std::int32_t> winner,
                       std::span<const Real> d_out, std::int64_t channels, std::span<Real> d_features,
                       Threads& threads);

/// Rows that lie inside the rows of a wider matrix, such as one half of a concatenation.
template <class Real>
struct RowsView {
  Real* data;
  std::int64_t row_step;
};

/// Row i of out is the features of the first (nearest) neighbour of query i, zeros if there is none.
/// With `accumulate` they are added to what is there.
template <class Real>
void nearest_forward(const GatherTable& table, std::span<const Real> features, std::int64_t channels,
                     RowsView<Real> out, bool accumulate, Threads& threads);

/// d_features [supports, channels]. The same bits with any number of threads.
template <class Real>
void nearest_backward(const GatherTable& table, RowsView<const Real> d_out, std::int64_t channels,
                      std::span<Real> d_features, Threads& threads);

}  // namespace pmtr::kernels
