// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>

#include "pmtr/core/threads.h"

namespace pmtr::kernels {

/// A norm below this does not divide: the row is divided by it instead, and a zero row stays zero.
inline constexpr double l2_norm_floor = 1e-12;

/// Each row of [rows, channels] divided by its length.
template <class Real>
void l2_normalise_forward(std::span<const Real> input, std::int64_t channels, Threads& threads,
                          std::span<Real> output);

/// Overwrites d_input. Of a row below the floor the length is taken as constant.
template <class Real>
void l2_normalise_backward(std::span<const Real> input, std::int64_t channels, std::span<const Real> d_output,
                           Threads& threads, std::span<Real> d_input);

/// The norm that ends a Proxy Match Transform layer, on features [points, factors, channels]: each channel of
/// each point is brought to mean 0 and variance 1 over its factors, then weight and bias [channels], then
/// LeakyReLU.
struct PointNormShape {
  std::int64_t factors = 1;
  std::int64_t channels = 1;
  double epsilon = 1e-5;  ///< added to the variance
  double slope = 0.01;    ///< of the LeakyReLU below 0
};

template <class Real>
void point_norm_forward(const PointNormShape& shape, std::span<const Real> input,
                        std::span<const Real> weight, std::span<const Real> bias, Threads& threads,
                        std::span<Real> output);

/// Overwrites d_input, d_weight and d_bias. Nothing is kept from the forward: the statistics are cheap.
template <class Real>
void point_norm_backward(const PointNormShape& shape, std::span<const Real> input,
                         std::span<const Real> weight, std::span<const Real> bias,
                         std::span<const Real> d_output, Threads& threads, std::span<Real> d_input,
                         std::span<Real> d_weight, std::span<Real> d_bias);

}  // namespace pmtr::kernels
