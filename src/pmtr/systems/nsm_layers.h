// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/systems/layers.h"

// What Neural Shape Mating is made of.
namespace pmtr {

/// Features of points from the edges to their nearest neighbours.
struct EdgeEncoder {
  static constexpr std::int64_t width = 512;
  static constexpr std::int64_t neighbours = 20;

  std::vector<NormedLayer> edges;
  NormedLayer points;

  explicit EdgeEncoder(const ParameterScope& scope);
  /// [parts, points, 3] to [parts, points, width].
  torch::Tensor operator()(const torch::Tensor& cloud, const SystemPass& pass) const;
};

struct LayerNorm {
  torch::Tensor weight;
  torch::Tensor bias;

  LayerNorm(const ParameterScope& scope, std::int64_t width);
  torch::Tensor operator()(const torch::Tensor& x) const;
};

/// Multi-head attention of [parts, n, width] to [parts, m, width].
struct Attention {
  static constexpr std::int64_t heads = 4;

  Linear query, key, value, out;

  Attention(const ParameterScope& scope, std::int64_t width);
  torch::Tensor operator()(const torch::Tensor& x, const torch::Tensor& memory, const SystemPass& pass) const;
};

/// One layer that reads the partner, and one that reads the part and attends to what was read. Norms come
/// before each step, and once more at both ends.
struct PartTransformer {
  LayerNorm read_norm, read_forward_norm, read_end;
  Attention read;
  PlainLayers read_forward;
  LayerNorm self_norm, cross_norm, forward_norm, end;
  Attention self, cross;
  PlainLayers forward;

  PartTransformer(const ParameterScope& scope, std::int64_t width);
  torch::Tensor operator()(const torch::Tensor& own, const torch::Tensor& partner,
                           const SystemPass& pass) const;
};

}  // namespace pmtr
