// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>

#include "pmtr/core/threads.h"

namespace pmtr::kernels {

/// The distance of unit vectors from their cosine: sqrt(max(2 - 2 cos, floor)). With floor > 0 the gradient
/// is finite where rounding gives cos >= 1; the reference has no floor.
inline constexpr double feature_distance_floor = 1e-12;

template <class Real>
void feature_distance_forward(std::span<const Real> cosines, double floor, Threads& threads,
                              std::span<Real> distances);

/// d_cosines = -d_distances / distances, 0 where the floor holds. May be done in place.
template <class Real>
void feature_distance_backward(std::span<const Real> distances, double floor,
                               std::span<const Real> d_distances, Threads& threads,
                               std::span<Real> d_cosines);

struct CircleLossOptions {
  double positive_overlap =
      0.1;  ///< a pair is positive above it, negative at 0, between them it does not count
  double positive_margin = 0.1;
  double negative_margin = 1.4;
  double positive_optimum = 0.1;
  double negative_optimum = 1.4;
  double log_scale = 24;  ///< times 4 it must stay below 700, for exponents to stay in the range of double
};

struct CircleLoss {
  double loss = 0;
  std::int64_t rows = 0;     ///< that have a positive and a negative: only these count
  std::int64_t columns = 0;  ///< likewise
};

/// The overlap-aware circle loss on superpoint features. distances in [0, 2] and overlaps in [0, 1] are
/// [rows, columns]. With s = log_scale, a row's loss is softplus(P + N) / s, where
///   P = logsumexp_j(s (d - positive_margin) w), w = max(0, d - positive_optimum) sqrt(overlap) on positives,
///   N = logsumexp_j(s (negative_margin - d) w), w = max(0, negative_optimum - d) on negatives,
/// w is 0 elsewhere, so that each other entry adds exp(0) = 1 to the sum, and w is a constant for the
/// gradient. The loss is half the mean over rows plus half the mean over columns; a direction where no row or
/// column has both kinds adds 0. Overwrites d_distances with the gradient; it may be empty when none is
/// wanted.
template <class Real>
CircleLoss circle_loss(std::int64_t rows, std::int64_t columns, std::span<const Real> distances,
                       std::span<const Real> overlaps, const CircleLossOptions& options, Threads& threads,
                       std::span<Real> d_distances);

}  // namespace pmtr::kernels
