// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>

#include "pmtr/core/threads.h"

namespace pmtr::kernels {

/// Kernel point convolution (Thomas et al., ICCV 2019, rigid, linear influence), at query i with neighbours
/// j:
///
///   influence(i, j, p) = max(0, 1 - |x_j - x_i - k_p| / sigma)
///   out[i] = sum_p (sum_j influence(i, j, p) f_j) W_p / count_i + bias
///
/// count_i is the number of neighbours whose features have a positive sum, at least 1: the rule of the
/// original code. No gradient flows to points, kernel points or the count.
template <class Real>
struct Kpconv {
  std::int64_t queries = 0;
  std::int64_t supports = 0;
  std::int64_t width = 0;  // neighbours per query
  std::int64_t kernel_points = 15;
  std::int64_t channels_in = 0;
  std::int64_t channels_out = 0;

  std::span<const Real> query_positions;         // [queries, 3]
  std::span<const Real> support_positions;       // [supports, 3]
  std::span<const std::int32_t> neighbours;      // [queries, width]; outside [0, supports) means none
  std::span<const Real> kernel_point_positions;  // [kernel_points, 3]
  Real sigma = 1;
  std::span<const Real> features;  // [supports, channels_in]
  std::span<const Real> weights;   // [kernel_points, channels_in, channels_out]
  std::span<const Real> bias;      // [channels_out], or empty

  /// Divide by the number of all neighbours instead of those with a positive feature sum.
  bool count_all_neighbours = false;
};

/// out [queries, channels_out]. `aggregate` [queries, kernel_points, channels_in] receives the weighted sums
/// over neighbours (divided by the count) if it is not empty: the backward pass wants it, and to keep it
/// costs less than to compute it again.
template <class Real>
void kpconv_forward(const Kpconv<Real>& conv, std::span<Real> out, std::span<Real> aggregate,
                    Threads& threads);

/// Gradients, shaped as what they belong to. Empty: not wanted.
template <class Real>
struct KpconvGradients {
  std::span<Real> features;
  std::span<Real> weights;
  std::span<Real> bias;
};

/// `aggregate` is what the forward pass kept; if empty it is computed again. Every gradient has the same bits
/// with any number of threads.
template <class Real>
void kpconv_backward(const Kpconv<Real>& conv, std::span<const Real> d_out, std::span<const Real> aggregate,
                     const KpconvGradients<Real>& gradients, Threads& threads);

}  // namespace pmtr::kernels
