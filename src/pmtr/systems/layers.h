// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>
#include <vector>

#include "pmtr/network/layers.h"
#include "pmtr/systems/system.h"

// Layers that several systems share. Like those of network/ they are plain structs on shared tensors.
namespace pmtr {

/// Batch norm over all rows of [rows, channels]. The running mean and variance are buffers of the weights.
struct BatchNorm {
  torch::Tensor weight;
  torch::Tensor bias;
  torch::Tensor running_mean;
  torch::Tensor running_variance;

  BatchNorm(const ParameterScope& scope, std::int64_t channels);
  /// And a leaky ReLU, unless `slope` is 1.
  torch::Tensor operator()(const torch::Tensor& x, const SystemPass& pass, double slope = 1.0) const;
  /// Moves the running mean and variance a step towards those of a batch.
  void follow(const torch::Tensor& mean, const torch::Tensor& variance, std::int64_t rows) const;
};

/// y = x W^T on the last of two dimensions. Without a bias: a norm follows that would take it away again, or
/// the rows are directions.
struct Unbiased {
  torch::Tensor weight;  // [out, in]

  Unbiased(const ParameterScope& scope, std::int64_t in, std::int64_t out);
  torch::Tensor operator()(const torch::Tensor& x, const Execution& execution) const;
};

/// Linear, batch norm, leaky ReLU on [rows, channels].
struct NormedLayer {
  Unbiased linear;
  BatchNorm norm;
  double slope;  ///< 0: ReLU; 1: none

  NormedLayer(const ParameterScope& scope, std::int64_t in, std::int64_t out, double slope);
  torch::Tensor operator()(const torch::Tensor& x, const SystemPass& pass) const;
};

/// Several of them.
struct NormedLayers {
  std::vector<NormedLayer> layers;

  /// From widths.front() to widths.back().
  NormedLayers(const ParameterScope& scope, const std::vector<std::int64_t>& widths, double slope);
  torch::Tensor operator()(torch::Tensor x, const SystemPass& pass) const;
};

/// Linear layers with a leaky ReLU between them, none after the last.
struct PlainLayers {
  std::vector<Linear> layers;
  double slope;

  PlainLayers(const ParameterScope& scope, const std::vector<std::int64_t>& widths, double slope);
  torch::Tensor operator()(torch::Tensor x, const SystemPass& pass) const;
};

/// Layers on every point by itself, then the largest value over all points of a part.
struct PointNet {
  static constexpr std::int64_t width = 128;

  NormedLayers layers;
  NormedLayer last;

  explicit PointNet(const ParameterScope& scope);
  /// [parts, points, 3] to [parts, width].
  torch::Tensor operator()(const torch::Tensor& points, const SystemPass& pass) const;
};

/// From features [parts, in] to poses by way of a quaternion.
struct PoseHead {
  PlainLayers layers;
  Linear quaternion;
  Linear translation;

  PoseHead(const ParameterScope& scope, std::int64_t in);
  PartPoses operator()(const torch::Tensor& features, const SystemPass& pass) const;
};

/// The largest of each group of `count` rows behind one another: [groups * count, channels] to [groups,
/// channels].
torch::Tensor largest_of_rows(const torch::Tensor& rows, std::int64_t count, const Execution& execution);

/// Multiplied with zeros and 1 / (1 - share): a share of the values is left out in training.
torch::Tensor dropout_mask(std::vector<std::int64_t> shape, double share, const torch::Tensor& like,
                           Random& random);

/// For each part the object it belongs to, [parts].
torch::Tensor owners_of(const PartBatch& batch);

}  // namespace pmtr
