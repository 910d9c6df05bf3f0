// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/systems/attention.h"
#include "pmtr/systems/jigsaw_sample.h"
#include "pmtr/systems/layers.h"
#include "pmtr/systems/nsm_layers.h"

// What Jigsaw is made of.
namespace pmtr {

/// Set abstraction of PointNet++ at two radii: neighbours of each centre go through layers of their own, the
/// largest values stay.
struct SetAbstraction {
  std::array<NormedLayers, 2> branches;

  SetAbstraction(const ParameterScope& scope, std::int64_t in,
                 const std::array<std::vector<std::int64_t>, 2>& widths);
  /// Points [n, 3] and features [n, in] to [m, sum of last widths].
  torch::Tensor operator()(const torch::Tensor& points, const torch::Tensor& features,
                           const JigsawBatch::Level& level, const SystemPass& pass) const;
};

/// Features of a coarse cloud, interpolated at the points of the finer one, beside those it has.
struct Propagation {
  NormedLayers layers;

  Propagation(const ParameterScope& scope, const std::vector<std::int64_t>& widths);
  /// `fine` may be undefined: the finest cloud has none.
  torch::Tensor operator()(const torch::Tensor& fine, const torch::Tensor& coarse,
                           const JigsawBatch::Level& level, const SystemPass& pass) const;
};

/// PointNet++ with four stages: [n, width].
struct JigsawEncoder {
  static constexpr std::int64_t width = 128;

  std::vector<SetAbstraction> down;
  std::vector<Propagation> up;

  explicit JigsawEncoder(const ParameterScope& scope);
  torch::Tensor operator()(const JigsawBatch& batch, const SystemPass& pass) const;
};

/// Vector attention of every point to its neighbours; channels in groups share their weights.
struct PointTransformer {
  static constexpr std::int64_t groups = 8;

  std::int64_t width;
  Linear query, key, value;
  Unbiased place_first;
  BatchNorm place_norm;
  Linear place;
  BatchNorm weight_norm;
  Unbiased weight_first;
  BatchNorm weight_second_norm;
  Linear weight;

  PointTransformer(const ParameterScope& scope, std::int64_t width);
  /// `table` is [n * k]: the neighbours of each point.
  torch::Tensor operator()(const torch::Tensor& points, const torch::Tensor& features,
                           const torch::Tensor& table, const SystemPass& pass) const;
};

/// Every point of an object attends to every other, in whichever part, with what usually follows: the only
/// place where parts learn of each other.
struct ObjectAttention {
  static constexpr std::int64_t heads = 8;

  Unbiased query, key, value, out;
  LayerNorm norm;
  PlainLayers forward;
  LayerNorm forward_norm;

  ObjectAttention(const ParameterScope& scope, std::int64_t width);
  /// [n, width], `objects` are the points of each.
  torch::Tensor operator()(const torch::Tensor& features, const std::vector<std::int64_t>& objects,
                           const SystemPass& pass) const;
};

/// log of what `rounds` of dividing rows, then columns of exp(scores) by their sums make of it. Keeps the
/// sums alone and makes the rest again for the gradient. [n, n]
torch::Tensor log_sinkhorn(const torch::Tensor& scores, int rounds);

}  // namespace pmtr
