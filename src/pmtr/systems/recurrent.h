// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/systems/layers.h"

namespace pmtr {

/// One step of a gated recurrent unit.
struct GruCell {
  torch::Tensor input_weight;  // [3 hidden, in]: reset, update, new
  torch::Tensor input_bias;
  torch::Tensor state_weight;  // [3 hidden, hidden]
  torch::Tensor state_bias;

  GruCell(const ParameterScope& scope, std::int64_t in, std::int64_t hidden);
  std::int64_t hidden() const { return state_weight.size(1); }
  /// x [n, in], state [n, hidden] -> the next state.
  torch::Tensor operator()(const torch::Tensor& x, const torch::Tensor& state,
                           const Execution& execution) const;
};

/// Sequences of different lengths side by side: the parts of each object in their order.
class Sequences {
 public:
  explicit Sequences(const std::vector<std::int64_t>& counts);

  std::int64_t steps() const { return static_cast<std::int64_t>(forward_.size()); }
  std::int64_t objects() const { return static_cast<std::int64_t>(objects_.size()); }
  /// How many sequences are longer than `step`. They stand in front, longest first.
  std::int64_t active(std::int64_t step) const;
  /// [active]: the part that is `step` from the beginning of each, or from its end.
  torch::Tensor rows(std::int64_t step, bool backwards) const;
  /// What was computed step by step, in the order of the parts. steps[t] is [active(t), width].
  torch::Tensor in_order(const std::vector<torch::Tensor>& steps, bool backwards) const;

 private:
  std::vector<std::size_t> objects_;                ///< longest first
  std::vector<std::vector<std::int64_t>> forward_;  ///< [step][active]: part
  std::vector<std::vector<std::int64_t>> backward_;
};

/// The first rows of a state replaced by what the step made of them.
torch::Tensor with_first_rows(const torch::Tensor& first, const torch::Tensor& state);

}  // namespace pmtr
