// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>

#include "pmtr/core/threads.h"
#include "pmtr/kernels/gather.h"

namespace pmtr::kernels {

/// What the neighbours of a point tell it. Neighbour j of query i says, per channel,
///   f(from[j] + to[i] + sum_e edge[i, j, e] * weight[e]),  f(x) = x for x > 0, x / 10 otherwise;
/// the first half of the channels takes the largest of what is said, the second the mean. A query without
/// neighbours hears zeros.
template <class Real>
struct EdgePool {
  /// Channels come in vectors, of both halves.
  static constexpr std::int64_t channel_step = 16;

  /// Numbers that are known of an edge.
  static constexpr std::int64_t edge_size = 8;

  GatherTable table;
  std::int64_t channels = 0;     ///< a multiple of channel_step
  std::span<const Real> from;    ///< [supports, channels]
  std::span<const Real> to;      ///< [queries, channels]
  std::span<const Real> edges;   ///< [queries, width, edge_size]
  std::span<const Real> weight;  ///< [edge_size, channels]
};

/// out [queries, channels]. `winner` [queries, channels / 2] receives the slot of the largest, -1 for none.
template <class Real>
void edge_pool_forward(const EdgePool<Real>& pool, std::span<Real> out, std::span<std::int32_t> winner,
                       Threads& threads);

template <class Real>
struct EdgePoolGradients {
  std::span<Real> from;
  std::span<Real> to;
  std::span<Real> weight;
};

/// All three are overwritten. The same bits with any number of threads.
template <class Real>
void edge_pool_backward(const EdgePool<Real>& pool, std::span<const Real> out,
                        std::span<const std::int32_t> winner, std::span<const Real> d_out,
                        const EdgePoolGradients<Real>& gradients, Threads& threads);

}  // namespace pmtr::kernels
