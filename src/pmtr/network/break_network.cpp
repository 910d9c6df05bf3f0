// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/break_network.h"

#include <algorithm>
#include <array>

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/network/ops.h"

namespace pmtr {
namespace {

constexpr std::array<std::int64_t, BreakInput::levels> widths = {48, 64, 96, 128};

torch::Tensor tensor_of(const std::vector<float>& values, std::vector<std::int64_t> shape) {
  torch::Tensor tensor = torch::empty(shape, torch::kFloat);
  std::copy(values.begin(), values.end(), tensor.data_ptr<float>());
  return tensor;
}

torch::Tensor tensor_of(const std::vector<std::int32_t>& values, std::vector<std::int64_t> shape) {
  torch::Tensor tensor = torch::empty(shape, torch::kInt);
  std::copy(values.begin(), values.end(), tensor.data_ptr<std::int32_t>());
  return tensor;
}

torch::Tensor activate(const torch::Tensor& x) { return torch::leaky_relu(x, leaky_slope); }

}  // namespace

RowNorm::RowNorm(const ParameterScope& scope, std::int64_t channels)
    : weight(scope.constant("weight", {channels}, 1.0)), bias(scope.constant("bias", {channels}, 0.0)) {}

torch::Tensor RowNorm::operator()(const torch::Tensor& x) const {
  return torch::layer_norm(x, {x.size(1)}, weight, bias);
}

Listening::Listening(const ParameterScope& scope, std::int64_t from_width, std::int64_t to_width)
    : from(scope / "from", from_width, to_width),
      to(scope / "to", to_width, to_width),
      edge(scope.uniform("edge", {BreakEdges::numbers, to_width}, 0.5)),
      heard(scope / "heard", to_width, to_width),
      norm(scope / "norm", to_width) {}

torch::Tensor Listening::operator()(const torch::Tensor& speakers, const torch::Tensor& listeners,
                                    const BreakEdges& edges, const Execution& execution) const {
  const NeighbourTable& table = edges.table;
  const torch::Tensor said = ops::edge_pool(
      from(speakers, execution), to(listeners, execution), tensor_of(table.index, {table.rows, table.width}),
      tensor_of(edges.values, {table.rows, table.width, std::int64_t{BreakEdges::numbers}}), edge, execution);
  return norm(listeners + heard(said, execution));
}

BreakNetwork::BreakNetwork(const ParameterScope& scope)
    : in(scope / "in", ShapeFeatures::width, widths[0]),
      in2(scope / "in2", widths[0], widths[0]),
      in_norm(scope / "in_norm", widths[0]),
      middle(scope / "middle", widths[0], widths[0]),
      out(scope / "out", widths[0], 1) {
  within.reserve(BreakInput::levels);
  for (std::size_t k = 0; k < BreakInput::levels; ++k) {
    const int level = static_cast<int>(k);
    if (k > 0) {
      widen.emplace_back(scope / "widen" / level, widths[k - 1], widths[k]);
      up.emplace_back(scope / "up" / level, widths[k - 1], widths[k]);
    }
    within.emplace_back(scope / "within" / level, widths[k], widths[k]);
    again.emplace_back(scope / "again" / level, widths[k], widths[k]);
    if (k + 1 < BreakInput::levels) down.emplace_back(scope / "down" / level, widths[k + 1], widths[k]);
  }
}

torch::Tensor BreakNetwork::operator()(const BreakInput& input, const Execution& execution) const {
  PMTR_CHECK(!input.empty(), "a fragment without points has no breaks");
  constexpr std::size_t top = BreakInput::levels - 1;
  const torch::Tensor seen =
      tensor_of(input.features.values, {input.features.rows, std::int64_t{ShapeFeatures::width}});
  std::array<torch::Tensor, BreakInput::levels> x;
  x[0] = in_norm(in2(activate(in(seen, execution)), execution));
  for (std::size_t k = 0; k <= top; ++k) {
    if (k > 0) {
      const torch::Tensor chosen = tensor_of(input.chosen[k], {input.sizes[k]});
      const torch::Tensor start = ops::upsample(widen[k - 1](x[k - 1], execution), chosen, execution);
      x[k] = up[k - 1](x[k - 1], start, input.up[k], execution);
    }
    x[k] = within[k](x[k], x[k], input.within[k], execution);
  }
  x[top] = again[top](x[top], x[top], input.within[top], execution);
  for (std::size_t k = top; k-- > 0;) {
    x[k] = down[k](x[k + 1], x[k], input.down[k], execution);
    x[k] = again[k](x[k], x[k], input.within[k], execution);
  }
  return out(activate(middle(x[0], execution)), execution).squeeze(1);
}

}  // namespace pmtr
