// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/network/execution.h"
#include "pmtr/network/tensor.h"

namespace pmtr::ops {

// What the layers call. The kernels are used where they can be (float on the CPU), the composition of ATen
// operators elsewhere or on request. composed_ops.h says what each computes.

torch::Tensor kpconv(const torch::Tensor& queries, const torch::Tensor& supports, const torch::Tensor& table,
                     const torch::Tensor& features, const torch::Tensor& kernel_points, double sigma,
                     const torch::Tensor& weights, const torch::Tensor& bias, bool count_positive_neighbours,
                     const Execution& execution);

torch::Tensor max_pool(const torch::Tensor& features, const torch::Tensor& table, const Execution& execution);

torch::Tensor upsample(const torch::Tensor& features, const torch::Tensor& index, const Execution& execution);

torch::Tensor group_norm(const torch::Tensor& x, std::int64_t groups, const torch::Tensor& weight,
                         const torch::Tensor& bias, const torch::Tensor& shortcut, double slope,
                         const Execution& execution);

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                     const Execution& execution);

torch::Tensor neighbour_attention(const torch::Tensor& values, const torch::Tensor& distances,
                                  const torch::Tensor& table, const torch::Tensor& hidden_weight,
                                  const torch::Tensor& hidden_bias, const torch::Tensor& out_weight,
                                  const torch::Tensor& out_bias, const Execution& execution);

torch::Tensor factor_norm(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                          double slope, const Execution& execution);

/// kernels/edge_pool.h: from [m, c], to [n, c], table [n, width], edges [n, width, e], weight [e, c] -> [n,
/// c].
torch::Tensor edge_pool(const torch::Tensor& from, const torch::Tensor& to, const torch::Tensor& table,
                        const torch::Tensor& edges, const torch::Tensor& weight, const Execution& execution);

torch::Tensor l2_normalise(const torch::Tensor& x, const Execution& execution);

}  // namespace pmtr::ops
