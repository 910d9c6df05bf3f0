// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>
#include <vector>

#include "pmtr/network/break_network.h"
#include "pmtr/network/layers.h"
#include "pmtr/network/matcher.h"

namespace pmtr {

/// What two points of a cloud are to each other: sines and cosines of their distance and of the angles to
/// each point's three nearest neighbours, each through a linear layer. Does not change when the cloud is
/// turned.
struct GeometricEmbedding {
  Linear distance;
  Linear angle;

  GeometricEmbedding(const ParameterScope& scope, std::int64_t width);
  /// points [n, 3] -> [n n, width], the pair (i, j) in row i n + j.
  torch::Tensor operator()(const torch::Tensor& points, const Execution& execution) const;
};

/// Attention with what follows it: a sum with the input and a norm, then a perceptron, a sum and a norm.
struct AttentionLayer {
  Linear query, key, value;
  std::optional<Linear> place;  ///< of the geometric embedding; only where points look at their own cloud
  Linear merge;
  RowNorm norm;
  Linear expand, squeeze;
  RowNorm out_norm;

  AttentionLayer(const ParameterScope& scope, std::int64_t width, bool geometric);
  /// `embedding` is undefined where the layer has no use for one.
  torch::Tensor operator()(const torch::Tensor& x, const torch::Tensor& looked_at,
                           const torch::Tensor& embedding, const Execution& execution) const;
};

/// The Geometric Transformer (Qin et al. 2022) as a matcher: three times, points look at all points of their
/// own cloud, with the geometric embedding, and then at all of the other's. Weights are the same for both
/// sides, which look at each other at the same time, so swapped sides give swapped results. (The authors let
/// the target look at what the source has become.)
class GeometricTransformer : public PairMatcher {
 public:
  static constexpr std::int64_t inner = 128;  ///< as the paper's count of parameters has it
  static constexpr std::int64_t heads = 4;

  GeometricTransformer(const ParameterScope& scope, std::int64_t in, std::int64_t out,
                       std::int64_t inner_width = inner);

  std::array<torch::Tensor, 2> transform(const MatchSide& source, const MatchSide& target,
                                         const Execution& execution) const override;
  double memory(std::int64_t source, std::int64_t target, bool training) const override;

 private:
  GeometricEmbedding embedding_;
  Linear in_;
  std::vector<AttentionLayer> self_, cross_;
  Linear out_;
};

}  // namespace pmtr
