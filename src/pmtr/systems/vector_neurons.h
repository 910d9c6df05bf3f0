// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/systems/layers.h"

// Vector neurons (Deng et al., 2021): a channel is a 3-vector, and layers mix channels, never coordinates.
// Turn the input, and every feature turns with it. Tensors are [rows, 3, channels].
namespace pmtr {

/// Linear over channels.
struct VectorLinear {
  Unbiased linear;

  VectorLinear(const ParameterScope& scope, std::int64_t in, std::int64_t out);
  torch::Tensor operator()(const torch::Tensor& x, const Execution& execution) const;
  /// The same on edges [x_neighbour - x ; x], 2 c channels, computed from what it makes of the points: [rows,
  /// 3, c] and `table` [rows * k] give [rows * k, 3, out].
  torch::Tensor on_edges(const torch::Tensor& x, const torch::Tensor& table,
                         const Execution& execution) const;
};

/// Linear, batch norm of lengths, and a leaky ReLU that cuts off what points against a learnt direction.
struct VectorLayer {
  VectorLinear feature;
  VectorLinear direction;
  BatchNorm norm;

  /// With `one_direction` all channels share theirs.
  VectorLayer(const ParameterScope& scope, std::int64_t in, std::int64_t out, bool one_direction = false);
  torch::Tensor operator()(const torch::Tensor& x, const SystemPass& pass) const;
  torch::Tensor on_edges(const torch::Tensor& x, const torch::Tensor& table, const SystemPass& pass) const;

 private:
  torch::Tensor finish(const torch::Tensor& features, const torch::Tensor& directions,
                       const SystemPass& pass) const;
};

/// The encoder of Wu et al.: three blocks on graphs that are found anew among the features.
struct VectorDgcnn {
  static constexpr std::int64_t width = 1024;
  static constexpr std::int64_t neighbours = 20;

  VectorLayer first_edges, first, second_edges, second, third_edges, last;

  explicit VectorDgcnn(const ParameterScope& scope);
  /// [parts, points, 3] to [parts, 3, width].
  torch::Tensor operator()(const torch::Tensor& points, const SystemPass& pass) const;
};

/// Mixes the features of a part by what all parts of its object look like, whichever way these are turned.
struct VectorCorrelation {
  VectorLayer first, second;
  VectorLinear frame;
  Linear spread;  // [3 -> width]

  explicit VectorCorrelation(const ParameterScope& scope);
  /// [parts, 3, width], and again.
  torch::Tensor operator()(const torch::Tensor& features, const PartBatch& batch,
                           const SystemPass& pass) const;
};

}  // namespace pmtr
