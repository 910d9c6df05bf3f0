// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/systems/jigsaw_layers.h"

namespace pmtr {

/// Jigsaw (Lu et al., 2023): where fragments are broken, and which points of all breaks of an object belong
/// together.
class JigsawNetwork {
 public:
  static constexpr std::int64_t descriptor = 256;  ///< of a primal and of a dual one
  static constexpr int sinkhorn_rounds = 10;       ///< rows and columns in turn: 20 divisions
  static constexpr double temperature = 0.05;

  explicit JigsawNetwork(const ParameterScope& scope);

  /// Features of all points, [n, width].
  torch::Tensor encode(const JigsawBatch& batch, const SystemPass& pass) const;
  /// How likely each point is on a break, before the sigmoid: [n].
  torch::Tensor segment(const torch::Tensor& features, const SystemPass& pass) const;
  /// How well the points of one object's breaks go with each other, [m, m]: not symmetric, for what sticks
  /// out fits what is hollow.
  torch::Tensor affinity(const torch::Tensor& features, const SystemPass& pass) const;
  /// Of features of the breaks of several objects, points of each in `counts`: norms see all of them.
  std::vector<torch::Tensor> affinities(const torch::Tensor& features,
                                        const std::vector<std::int64_t>& counts,
                                        const SystemPass& pass) const;

  /// Mean of the objects'. `matching` is 0 in the beginning: the breaks have to be seen first.
  SystemLoss loss(std::span<const JigsawSample> samples, double matching, const SystemPass& pass) const;

 private:
  JigsawEncoder encoder_;
  PointTransformer transformer_;
  ObjectAttention attention_;
  BatchNorm segment_norm_;
  Linear segment_;
  BatchNorm describe_norm_;
  Linear describe_;
  torch::Tensor affinity_;  // [descriptor, descriptor]
};

}  // namespace pmtr
