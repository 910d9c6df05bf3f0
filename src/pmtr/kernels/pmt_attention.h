// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>

#include "pmtr/core/threads.h"
#include "pmtr/kernels/attention_edges.h"

namespace pmtr::kernels {

inline constexpr std::int64_t pmt_heads = 4;

/// Linear(1, 4), ReLU, Linear(4, 4): the logit of every head from the length of an edge. Gradients have the
/// same shape.
template <class Real>
struct PmtAttentionMlp {
  Real weight1[4] = {};
  Real bias1[4] = {};
  Real weight2[4][4] = {};  ///< [head, hidden]
  Real bias2[4] = {};
};

/// The neighbour attention of a Proxy Match Transform layer. attention [edges, heads] = softmax over the real
/// neighbours of a point of the MLP of the lengths [edges], 0 at pads. output [points, width] =
/// sum_j attention[n, j, h] * input[j, ...]; head is the fastest index of a row, so column k belongs to head
/// k % 4 and width is a multiple of 4. A point without a real neighbour outputs 0. Lengths at pads are not
/// read. The layer's proxy follows as a matrix product: both are linear, and before it rows are four times
/// narrower.
template <class Real>
void pmt_attention_forward(const AttentionEdges& edges, std::span<const Real> lengths,
                           const PmtAttentionMlp<Real>& mlp, std::span<const Real> input, std::int64_t width,
                           Threads& threads, std::span<Real> attention, std::span<Real> output);

/// Overwrites d_input [points, width] and returns the gradient of the MLP; lengths are constants. `attention`
/// is the forward's, `inverse` is invert_edges(edges).
template <class Real>
PmtAttentionMlp<Real> pmt_attention_backward(const AttentionEdges& edges, const InverseEdges& inverse,
                                             std::span<const Real> lengths, const PmtAttentionMlp<Real>& mlp,
                                             std::span<const Real> attention, std::span<const Real> input,
                                             std::int64_t width, std::span<const Real> d_output,
                                             Threads& threads, std::span<Real> d_input);

}  // namespace pmtr::kernels
