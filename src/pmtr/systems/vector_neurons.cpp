// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/vector_neurons.h"

#include <torch/types.h>

#include "pmtr/network/ops.h"
#include "pmtr/systems/fused_norm.h"
#include "pmtr/systems/neighbour_graph.h"

namespace pmtr {
namespace {

constexpr double vector_slope = 0.2;
constexpr std::int64_t block_width = 21;
constexpr std::int64_t point_width = VectorDgcnn::width / 2;

torch::Tensor mean_over_edges(const torch::Tensor& edges, std::int64_t rows) {
  return edges.view({rows, -1, 3, edges.size(2)}).mean(1);
}

}  // namespace

VectorLinear::VectorLinear(const ParameterScope& scope, std::int64_t in, std::int64_t out)
    : linear(scope, in, out) {}

torch::Tensor VectorLinear::operator()(const torch::Tensor& x, const Execution& execution) const {
  return linear(x.reshape({-1, x.size(2)}), execution).view({x.size(0), 3, -1});
}

torch::Tensor VectorLinear::on_edges(const torch::Tensor& x, const torch::Tensor& table,
                                     const Execution& execution) const {
  const std::int64_t rows = x.size(0), channels = x.size(2), out = linear.weight.size(0);
  const torch::Tensor near = linear.weight.narrow(1, 0, channels);
  const torch::Tensor own = linear.weight.narrow(1, channels, channels) - near;
  const torch::Tensor none = torch::zeros({out}, linear.weight.options().requires_grad(false));
  const torch::Tensor flat = x.reshape({-1, channels});
  const torch::Tensor of_neighbour = ops::linear(flat, near, none, execution).view({rows, 3 * out});
  const torch::Tensor of_point = ops::linear(flat, own, none, execution).view({rows, 1, 3 * out});
  return (of_neighbour.index_select(0, table).view({rows, -1, 3 * out}) + of_point).view({-1, 3, out});
}

VectorLayer::VectorLayer(const ParameterScope& scope, std::int64_t in, std::int64_t out, bool one_direction)
    : feature(scope / "feature", in, out),
      direction(scope / "direction", in, one_direction ? 1 : out),
      norm(scope / "norm", out) {}

torch::Tensor VectorLayer::operator()(const torch::Tensor& x, const SystemPass& pass) const {
  return finish(feature(x, pass.execution), direction(x, pass.execution), pass);
}

torch::Tensor VectorLayer::on_edges(const torch::Tensor& x, const torch::Tensor& table,
                                    const SystemPass& pass) const {
  return finish(feature.on_edges(x, table, pass.execution), direction.on_edges(x, table, pass.execution),
                pass);
}

torch::Tensor VectorLayer::finish(const torch::Tensor& features, const torch::Tensor& directions,
                                  const SystemPass& pass) const {
  if (pass.training && features.scalar_type() == torch::kFloat) {
    const FusedVectorNorm normed = fused_vector_norm(features, directions, norm.weight, norm.bias,
                                                     1.0 - vector_slope, *pass.execution.threads);
    norm.follow(normed.mean, normed.variance, features.size(0));
    return normed.out;
  }
  const torch::Tensor lengths = (features.square().sum(1) + least_square).sqrt();
  const torch::Tensor scaled = features * (norm(lengths, pass) / lengths).unsqueeze(1);
  const torch::Tensor along = (scaled * directions).sum(1, true);
  const torch::Tensor square = directions.square().sum(1, true) + least_square;
  // What points against the direction loses the part that does, but for a share.
  return scaled - (1.0 - vector_slope) * (along.clamp_max(0.0) / square) * directions;
}

VectorDgcnn::VectorDgcnn(const ParameterScope& scope)
    : first_edges(scope / "first_edges", 2, block_width),
      first(scope / "first", block_width, block_width),
      second_edges(scope / "second_edges", 2 * block_width, block_width),
      second(scope / "second", block_width, block_width),
      third_edges(scope / "third_edges", 2 * block_width, block_width),
      last(scope / "last", 3 * block_width, point_width, true) {}

torch::Tensor VectorDgcnn::operator()(const torch::Tensor& points, const SystemPass& pass) const {
  const std::int64_t parts = points.size(0), count = points.size(1), rows = parts * count;
  const std::int64_t near = std::min(neighbours, count);
  const auto table = [&](const torch::Tensor& x) {
    return nearest_in_part(x.reshape({parts, count, -1}), near, *pass.execution.threads);
  };
  const torch::Tensor x0 = points.reshape({rows, 3, 1});
  const torch::Tensor x1 = mean_over_edges(first(first_edges.on_edges(x0, table(x0), pass), pass), rows);
  const torch::Tensor x2 = mean_over_edges(second(second_edges.on_edges(x1, table(x1), pass), pass), rows);
  const torch::Tensor x3 = mean_over_edges(third_edges.on_edges(x2, table(x2), pass), rows);
  const torch::Tensor mean = last(torch::cat({x1, x2, x3}, 2), pass).view({parts, count, 3, -1}).mean(1);
  // The released code appends the mean to every point and takes the mean again: twice the same.
  return torch::cat({mean, mean}, 2);
}

VectorCorrelation::VectorCorrelation(const ParameterScope& scope)
    : first(scope / "first", VectorDgcnn::width, VectorDgcnn::width / 2),
      second(scope / "second", VectorDgcnn::width / 2, VectorDgcnn::width / 4),
      frame(scope / "frame", VectorDgcnn::width / 4, 3),
      spread(scope / "spread", 3, VectorDgcnn::width) {}

torch::Tensor VectorCorrelation::operator()(const torch::Tensor& features, const PartBatch& batch,
                                            const SystemPass& pass) const {
  const torch::Tensor axes = frame(second(first(features, pass), pass), pass.execution);  // [parts, 3, 3]
  const torch::Tensor invariant = torch::bmm(features.transpose(1, 2), axes);             // [parts, width, 3]
  std::vector<torch::Tensor> sums;
  for (const torch::Tensor& own : invariant.split_with_sizes(batch.counts)) sums.push_back(own.sum(0));
  const torch::Tensor owners = owners_of(batch);
  const torch::Tensor sum = torch::stack(sums).index_select(0, owners);
  const torch::Tensor counts =
      torch::tensor(batch.counts, torch::kLong).index_select(0, owners).to(features.scalar_type());
  // (sum_j G_j) F with G_j = invariant_j W^T + 1 b^T, without ever making the matrices G [width, width].
  const torch::Tensor small = torch::matmul(features, spread.weight);  // [parts, 3, 3]
  const torch::Tensor mixed = torch::bmm(small, sum.transpose(1, 2));
  return mixed + counts.view({-1, 1, 1}) * torch::matmul(features, spread.bias).unsqueeze(2);
}

}  // namespace pmtr
