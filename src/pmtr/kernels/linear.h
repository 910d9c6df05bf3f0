// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>

#include "pmtr/core/threads.h"

namespace pmtr::kernels {

/// y = x W^T + bias, with the weight laid out as [channels_out, channels_in].
template <class Real>
struct Linear {
  std::int64_t rows = 0;
  std::int64_t channels_in = 0;
  std::int64_t channels_out = 0;
  std::span<const Real> x;        // [rows, channels_in]
  std::span<const Real> weights;  // [channels_out, channels_in]
  std::span<const Real> bias;     // [channels_out], or empty
};

/// y [rows, channels_out].
template <class Real>
void linear_forward(const Linear<Real>& linear, std::span<Real> y, Threads& threads);

/// Gradients, shaped as what they belong to. Empty: not wanted.
template <class Real>
struct LinearGradients {
  std::span<Real> x;
  std::span<Real> weights;
  std::span<Real> bias;
};

/// The same bits with any number of threads.
template <class Real>
void linear_backward(const Linear<Real>& linear, std::span<const Real> d_y,
                     const LinearGradients<Real>& gradients, Threads& threads);

}  // namespace pmtr::kernels
