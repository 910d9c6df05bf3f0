// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>

#include "pmtr/core/threads.h"

namespace pmtr::kernels {

/// Group normalisation of all rows as one sample: a group is channels / groups adjacent channels of every
/// row. out = activation((x - mean) * rstd * gamma + beta + shortcut), activation(v) = v > 0 ? v : slope * v.
template <class Real>
struct GroupNorm {
  std::int64_t rows = 0;
  std::int64_t channels = 0;
  std::int64_t groups = 1;
  Real epsilon = static_cast<Real>(1e-5);
  Real slope = 1;               // of the activation for negative values, not below 0; 1 means no activation
  std::span<const Real> gamma;  // [channels]
  std::span<const Real> beta;   // [channels]
};

/// Mean and 1 / sqrt(variance + epsilon) of each group.
template <class Real>
struct GroupStatistics {
  std::span<Real> mean;  // [groups]
  std::span<Real> rstd;  // [groups]
};

/// x, shortcut (may be empty) and out are [rows, channels]; out may be x. `statistics` are written. The same
/// bits with any number of threads; sums are exact to a few roundings also when the mean is large.
template <class Real>
void group_norm_forward(const GroupNorm<Real>& norm, std::span<const Real> x, std::span<const Real> shortcut,
                        std::span<Real> out, const GroupStatistics<Real>& statistics, Threads& threads);

/// Gradients, shaped as what they belong to. Empty: not wanted.
template <class Real>
struct GroupNormGradients {
  std::span<Real> x;
  std::span<Real> gamma;
  std::span<Real> beta;
  std::span<Real> shortcut;
};

/// `out` and `statistics` are those of the forward pass; out tells which side of the activation each value
/// was on and may be empty without an activation.
template <class Real>
void group_norm_backward(const GroupNorm<Real>& norm, std::span<const Real> x, std::span<const Real> out,
                         const GroupStatistics<const Real>& statistics, std::span<const Real> d_out,
                         const GroupNormGradients<Real>& gradients, Threads& threads);

}  // namespace pmtr::kernels
