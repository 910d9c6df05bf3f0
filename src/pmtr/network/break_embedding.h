// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/network/break_network.h"
#include "pmtr/network/layers.h"
#include "pmtr/network/match_input.h"

namespace pmtr {

/// Descriptors of breaks, made short, and their way past the network to both of its outputs: learning begins
/// at the descriptor, and the network can only add to it.
struct BreakEmbedding {
  static constexpr std::int64_t width = 128;

  Linear wide;
  RowNorm wide_norm;
  Linear middle;
  RowNorm middle_norm;
  Linear out;
  Linear to_fine;
  Linear to_coarse;
  torch::Tensor fine_share;  ///< how much the network adds
  torch::Tensor coarse_share;
  torch::Tensor temperature;  ///< logarithm of what cosines are multiplied with where they are compared

  explicit BreakEmbedding(const ParameterScope& scope);
  /// [rows, width]
  torch::Tensor operator()(const BreakDescriptors& descriptors, const Execution& execution) const;
};

}  // namespace pmtr
