// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/network/tensor.h"

namespace pmtr::composed {

// Every operation of the network as a composition of ATen operators. Slow and memory-hungry, but it runs on
// any device, gives gradients by itself, and is what the fused kernels are tested against.
//
// A table holds int32 row indices; the number of supports stands for "none".

/// Kernel point convolution (Thomas et al. 2019), linear influence.
/// queries [m, 3], supports [n, 3], table [m, width], features [n, in], kernel_points [k, 3], weights [k, in,
/// out].
torch::Tensor kpconv(const torch::Tensor& queries, const torch::Tensor& supports, const torch::Tensor& table,
                     const torch::Tensor& features, const torch::Tensor& kernel_points, double sigma,
                     const torch::Tensor& weights, const torch::Tensor& bias, bool count_positive_neighbours);

/// Maximum over each row's supports; "none" counts as a zero feature.
torch::Tensor max_pool(const torch::Tensor& features, const torch::Tensor& table);

torch::Tensor edge_pool(const torch::Tensor& from, const torch::Tensor& to, const torch::Tensor& table,
                        const torch::Tensor& edges, const torch::Tensor& weight);

/// The feature of each point's nearest coarser point. index [n].
torch::Tensor upsample(const torch::Tensor& features, const torch::Tensor& index);

/// Group norm over all rows of [n, channels], then + shortcut if defined, then leaky ReLU (slope 1: none).
torch::Tensor group_norm(const torch::Tensor& x, std::int64_t groups, const torch::Tensor& weight,
                         const torch::Tensor& bias, const torch::Tensor& shortcut, double slope);

/// Softmax over each row's supports of a small perceptron of their distance, per head. distances [n, width],
/// table [n, width], hidden_weight [4, 1], out_weight [heads, 4] -> [n, width, heads]; zero at "none".
torch::Tensor attention_weights(const torch::Tensor& distances, const torch::Tensor& table,
                                const torch::Tensor& hidden_weight, const torch::Tensor& hidden_bias,
                                const torch::Tensor& out_weight, const torch::Tensor& out_bias);

/// out[i, ., h] = sum_j weights[i, j, h] values[table[i, j], ., h]. values [n, width, heads].
torch::Tensor attend(const torch::Tensor& weights, const torch::Tensor& table, const torch::Tensor& values);

/// Per point and channel over the factors: [n, factors, channels], then leaky ReLU.
torch::Tensor factor_norm(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                          double slope);

}  // namespace pmtr::composed
