// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/recurrent.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <torch/types.h>

#include "pmtr/network/ops.h"

namespace pmtr {
namespace {

double gru_bound(std::int64_t hidden) { return 1.0 / std::sqrt(static_cast<double>(hidden)); }

}  // namespace

GruCell::GruCell(const ParameterScope& scope, std::int64_t in, std::int64_t hidden)
    : input_weight(scope.uniform("input_weight", {3 * hidden, in}, gru_bound(hidden))),
      input_bias(scope.uniform("input_bias", {3 * hidden}, gru_bound(hidden))),
      state_weight(scope.uniform("state_weight", {3 * hidden, hidden}, gru_bound(hidden))),
      state_bias(scope.uniform("state_bias", {3 * hidden}, gru_bound(hidden))) {}

torch::Tensor GruCell::operator()(const torch::Tensor& x, const torch::Tensor& state,
                                  const Execution& execution) const {
  const auto from_input = ops::linear(x, input_weight, input_bias, execution).chunk(3, 1);
  const auto from_state = ops::linear(state, state_weight, state_bias, execution).chunk(3, 1);
  const torch::Tensor reset = torch::sigmoid(from_input[0] + from_state[0]);
  const torch::Tensor kept = torch::sigmoid(from_input[1] + from_state[1]);
  const torch::Tensor fresh = torch::tanh(from_input[2] + reset * from_state[2]);
  return (1 - kept) * fresh + kept * state;
}

Sequences::Sequences(const std::vector<std::int64_t>& counts) : objects_(counts.size()) {
  std::iota(objects_.begin(), objects_.end(), std::size_t{0});
  std::stable_sort(objects_.begin(), objects_.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  std::vector<std::int64_t> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), std::int64_t{0});
  for (std::int64_t step = 0; step < counts[objects_.front()]; ++step) {
    auto& ahead = forward_.emplace_back();
    auto& behind = backward_.emplace_back();
    for (const std::size_t object : objects_) {
      if (counts[object] <= step) break;
      ahead.push_back(begins[object] + step);
      behind.push_back(begins[object] + counts[object] - 1 - step);
    }
  }
}

std::int64_t Sequences::active(std::int64_t step) const {
  return static_cast<std::int64_t>(forward_[static_cast<std::size_t>(step)].size());
}

torch::Tensor Sequences::rows(std::int64_t step, bool backwards) const {
  return torch::tensor((backwards ? backward_ : forward_)[static_cast<std::size_t>(step)], torch::kLong);
}

torch::Tensor Sequences::in_order(const std::vector<torch::Tensor>& steps, bool backwards) const {
  std::vector<std::int64_t> parts;
  for (const auto& step : backwards ? backward_ : forward_)
    parts.insert(parts.end(), step.begin(), step.end());
  std::vector<std::int64_t> place(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    place[static_cast<std::size_t>(parts[i])] = static_cast<std::int64_t>(i);
  return torch::cat(steps, 0).index_select(0, torch::tensor(place, torch::kLong));
}

torch::Tensor with_first_rows(const torch::Tensor& first, const torch::Tensor& state) {
  const std::int64_t count = first.size(0);
  if (count == state.size(0)) return first;
  return torch::cat({first, state.narrow(0, count, state.size(0) - count)}, 0);
}

}  // namespace pmtr
