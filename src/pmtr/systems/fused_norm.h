// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/threads.h"
#include "pmtr/network/tensor.h"

namespace pmtr {

/// Batch norm of [rows, channels] by the statistics of the batch and a leaky ReLU, in one go and on all
/// threads: torch would do them one after the other and keep a tensor for each. float, on the CPU.
struct FusedNorm {
  torch::Tensor out;       // [rows, channels]
  torch::Tensor mean;      // [channels]
  torch::Tensor variance;  // [channels]: of the batch, divided by the number of rows
};
/// `slope` is that of the activation below 0: 1 for none.
FusedNorm fused_batch_norm(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                           double epsilon, double slope, Threads& threads);

/// What a VectorLayer does with the features [rows, 3, channels] and directions [rows, 3, channels or 1] that
/// its linear layers made: lengths are batch-normed, and of what points against the direction `removed` is
/// taken away. `mean` and `variance` are those of the lengths.
using FusedVectorNorm = FusedNorm;
FusedVectorNorm fused_vector_norm(const torch::Tensor& features, const torch::Tensor& directions,
                                  const torch::Tensor& weight, const torch::Tensor& bias, double removed,
                                  Threads& threads);

/// Kept away from 0: squares of lengths by which others are divided, and the variance under a norm.
inline constexpr double least_square = 1e-12;
inline constexpr double norm_epsilon = 1e-5;

}  // namespace pmtr
