// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/threads.h"
#include "pmtr/network/tensor.h"

namespace pmtr::fused {

// The operations of composed_ops.h on our own kernels (kernels/), as autograd functions: float, CPU,
// contiguous. What a kernel wants to keep for its backward is kept only where a gradient will be asked for.

torch::Tensor kpconv(const torch::Tensor& queries, const torch::Tensor& supports, const torch::Tensor& table,
                     const torch::Tensor& features, const torch::Tensor& kernel_points, double sigma,
                     const torch::Tensor& weights, const torch::Tensor& bias, bool count_positive_neighbours,
                     Threads& threads);

torch::Tensor max_pool(const torch::Tensor& features, const torch::Tensor& table, Threads& threads);

torch::Tensor upsample(const torch::Tensor& features, const torch::Tensor& index, Threads& threads);

torch::Tensor group_norm(const torch::Tensor& x, std::int64_t groups, const torch::Tensor& weight,
                         const torch::Tensor& bias, const torch::Tensor& shortcut, double slope,
                         Threads& threads);

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                     Threads& threads);

/// attention_weights and attend in one: values [n, width, heads] -> the same shape.
torch::Tensor neighbour_attention(const torch::Tensor& values, const torch::Tensor& distances,
                                  const torch::Tensor& table, const torch::Tensor& hidden_weight,
                                  const torch::Tensor& hidden_bias, const torch::Tensor& out_weight,
                                  const torch::Tensor& out_bias, Threads& threads);

torch::Tensor factor_norm(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                          double slope, Threads& threads);

torch::Tensor edge_pool(const torch::Tensor& from, const torch::Tensor& to, const torch::Tensor& table,
                        const torch::Tensor& edges, const torch::Tensor& weight, Threads& threads);

/// Scales the last dimension to length 1.
torch::Tensor l2_normalise(const torch::Tensor& x, Threads& threads);

}  // namespace pmtr::fused
