// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>

#include "pmtr/network/execution.h"
#include "pmtr/network/parameters.h"
#include "pmtr/network/tensor.h"

namespace pmtr {

/// Of the leaky ReLUs in the encoder and the fracture head. The matchers have their own.
inline constexpr double leaky_slope = 0.1;

/// y = x W^T + b on the last dimension.
struct Linear {
  torch::Tensor weight;  // [out, in]
  torch::Tensor bias;    // [out]

  Linear(const ParameterScope& scope, std::int64_t in, std::int64_t out);
  torch::Tensor operator()(const torch::Tensor& x, const Execution& execution) const;
};

/// Group norm of [n, channels] over all rows, with what usually follows it: an addition and an activation.
struct GroupNorm {
  torch::Tensor weight;
  torch::Tensor bias;
  std::int64_t groups;

  GroupNorm(const ParameterScope& scope, std::int64_t groups, std::int64_t channels);
  torch::Tensor operator()(const torch::Tensor& x, const Execution& execution, double slope,
                           const torch::Tensor& shortcut = {}) const;
};

struct KPConv {
  torch::Tensor weights;  // [kernel points, in, out]
  torch::Tensor bias;     // [out]
  torch::Tensor kernel_points;
  double sigma;
  bool count_positive_neighbours;

  KPConv(const ParameterScope& scope, std::int64_t in, std::int64_t out, double radius, double sigma_,
         bool count_positive);
  torch::Tensor operator()(const torch::Tensor& queries, const torch::Tensor& supports,
                           const torch::Tensor& table, const torch::Tensor& features,
                           const Execution& execution) const;
};

/// Linear, group norm, activation.
struct UnaryBlock {
  Linear mlp;
  std::optional<GroupNorm> norm;
  double slope;  ///< 1: no activation

  /// `groups` of the norm: 0 means none.
  UnaryBlock(const ParameterScope& scope, std::int64_t in, std::int64_t out, std::int64_t groups,
             double slope_);
  torch::Tensor operator()(const torch::Tensor& x, const Execution& execution,
                           const torch::Tensor& shortcut = {}) const;

  /// The same on rows that are a row of `coarser`, chosen by `nearest`, followed by one of `skip`. The part
  /// of the weight that meets the coarser features is applied before they are repeated: less work.
  torch::Tensor on_joined(const torch::Tensor& coarser, const torch::Tensor& nearest,
                          const torch::Tensor& skip, const Execution& execution) const;

 private:
  torch::Tensor finish(const torch::Tensor& y, const Execution& execution,
                       const torch::Tensor& shortcut) const;
};

}  // namespace pmtr
