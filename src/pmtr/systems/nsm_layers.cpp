// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/nsm_layers.h"

#include <torch/types.h>

#include "pmtr/systems/attention.h"
#include "pmtr/systems/neighbour_graph.h"

namespace pmtr {
namespace {

constexpr double edge_slope = 0.2;
constexpr std::int64_t forward_width = 1024;

/// A layer on rows, applied to [parts, points, width].
template <class Layer>
torch::Tensor on_points(const Layer& layer, const torch::Tensor& x, const SystemPass& pass) {
  return layer(x.reshape({-1, x.size(-1)}), pass).view({x.size(0), x.size(1), -1});
}

}  // namespace

EdgeEncoder::EdgeEncoder(const ParameterScope& scope) : points(scope / "points", 512, width, edge_slope) {
  constexpr std::array<std::int64_t, 5> widths{6, 64, 64, 128, 256};
  for (std::size_t i = 1; i < widths.size(); ++i)
    edges.emplace_back(scope / "edges" / static_cast<int>(i - 1), widths[i - 1], widths[i], edge_slope);
}

torch::Tensor EdgeEncoder::operator()(const torch::Tensor& cloud, const SystemPass& pass) const {
  const std::int64_t count = std::min(neighbours, cloud.size(1));
  const torch::Tensor table = nearest_in_part(cloud, count, *pass.execution.threads);
  const torch::Tensor rows = cloud.reshape({-1, 3});
  torch::Tensor x = torch::cat(
      {rows.index_select(0, table), rows.unsqueeze(1).expand({rows.size(0), count, 3}).reshape({-1, 3})}, 1);
  std::vector<torch::Tensor> pooled;
  for (const NormedLayer& layer : edges) {
    x = layer(x, pass);
    pooled.push_back(largest_of_rows(x, count, pass.execution));
  }
  return points(torch::cat(pooled, 1), pass).view({cloud.size(0), cloud.size(1), width});
}

LayerNorm::LayerNorm(const ParameterScope& scope, std::int64_t width)
    : weight(scope.constant("weight", {width}, 1.0)), bias(scope.constant("bias", {width}, 0.0)) {}

torch::Tensor LayerNorm::operator()(const torch::Tensor& x) const {
  return torch::layer_norm(x, {weight.size(0)}, weight, bias, 1e-6, /*cudnn_enable=*/false);
}

Attention::Attention(const ParameterScope& scope, std::int64_t width)
    : query(scope / "query", width, width),
      key(scope / "key", width, width),
      value(scope / "value", width, width),
      out(scope / "out", width, width) {}

torch::Tensor Attention::operator()(const torch::Tensor& x, const torch::Tensor& memory,
                                    const SystemPass& pass) const {
  const std::int64_t parts = x.size(0), width = x.size(2), depth = width / heads;
  const auto split = [&](const Linear& linear, const torch::Tensor& from) {
    return linear(from.reshape({-1, width}), pass.execution)
        .view({parts, from.size(1), heads, depth})
        .transpose(1, 2)
        .reshape({parts * heads, from.size(1), depth});
  };
  const torch::Tensor mixed =
      attend_in_rows(split(query, x), split(key, memory), split(value, memory), *pass.execution.threads);
  const torch::Tensor rows =
      mixed.view({parts, heads, x.size(1), depth}).transpose(1, 2).reshape({-1, width});
  return out(rows, pass.execution).view(x.sizes());
}

PartTransformer::PartTransformer(const ParameterScope& scope, std::int64_t width)
    : read_norm(scope / "read_norm", width),
      read_forward_norm(scope / "read_forward_norm", width),
      read_end(scope / "read_end", width),
      read(scope / "read", width),
      read_forward(scope / "read_forward", {width, forward_width, width}, 0.0),
      self_norm(scope / "self_norm", width),
      cross_norm(scope / "cross_norm", width),
      forward_norm(scope / "forward_norm", width),
      end(scope / "end", width),
      self(scope / "self", width),
      cross(scope / "cross", width),
      forward(scope / "forward", {width, forward_width, width}, 0.0) {}

torch::Tensor PartTransformer::operator()(const torch::Tensor& own, const torch::Tensor& partner,
                                          const SystemPass& pass) const {
  torch::Tensor memory = partner;
  torch::Tensor normed = read_norm(memory);
  memory = memory + read(normed, normed, pass);
  memory = read_end(memory + on_points(read_forward, read_forward_norm(memory), pass));
  torch::Tensor x = own;
  normed = self_norm(x);
  x = x + self(normed, normed, pass);
  x = x + cross(cross_norm(x), memory, pass);
  return end(x + on_points(forward, forward_norm(x), pass));
}

}  // namespace pmtr
