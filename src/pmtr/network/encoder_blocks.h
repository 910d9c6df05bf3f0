// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>

#include "pmtr/network/layers.h"
#include "pmtr/network/network_options.h"
#include "pmtr/network/pyramid_batch.h"

namespace pmtr {

/// Where a convolution reads and writes: one level, or from a level to the next coarser one.
struct ConvolutionSite {
  torch::Tensor queries;   // [m, 3]
  torch::Tensor supports;  // [n, 3]
  torch::Tensor table;     // [m, width]
  bool strided = false;

  static ConvolutionSite at(const PyramidBatch& batch, std::size_t level);
  static ConvolutionSite down_to(const PyramidBatch& batch, std::size_t level);
};

/// What all blocks of an encoder have in common.
struct BlockKind {
  bool count_positive = true;  ///< NetworkOptions::count_positive_neighbours
  bool channel_norm = false;   ///< NetworkOptions::channel_norm
  std::int64_t groups(std::int64_t channels) const { return channel_norm ? channels : 32; }
};

/// KPConv, group norm, activation.
struct ConvBlock {
  KPConv conv;
  GroupNorm norm;

  ConvBlock(const ParameterScope& scope, std::int64_t in, std::int64_t out, double radius, double sigma,
            const BlockKind& kind);
  torch::Tensor operator()(const ConvolutionSite& site, const torch::Tensor& features,
                           const Execution& execution) const;
};

/// Bottleneck: unary down to a quarter of the output, KPConv, unary up, plus a shortcut.
struct ResidualBlock {
  UnaryBlock unary1;
  KPConv conv;
  GroupNorm norm_conv;
  UnaryBlock unary2;
  std::optional<UnaryBlock> unary_shortcut;  ///< only where the widths differ

  ResidualBlock(const ParameterScope& scope, std::int64_t in, std::int64_t out, double radius, double sigma,
                const BlockKind& kind);
  torch::Tensor operator()(const ConvolutionSite& site, const torch::Tensor& features,
                           const Execution& execution) const;
};

}  // namespace pmtr
