// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/layers.h"

#include <cmath>

#include <torch/types.h>

#include "pmtr/network/kernel_points.h"
#include "pmtr/network/ops.h"

namespace pmtr {
namespace {

constexpr int kernel_point_count = 15;

torch::Tensor kernel_point_tensor(double radius, Random& random) {
  torch::Tensor tensor = torch::empty({kernel_point_count, 3}, torch::kFloat);
  auto* out = tensor.data_ptr<float>();
  for (const auto& point : arrange_kernel_points(kernel_point_count, radius, random)) {
    for (int i = 0; i < 3; ++i) *out++ = static_cast<float>(point[i]);
  }
  return tensor;
}

}  // namespace

Linear::Linear(const ParameterScope& scope, std::int64_t in, std::int64_t out)
    : weight(scope.uniform("weight", {out, in}, 1.0 / std::sqrt(static_cast<double>(in)))),
      bias(scope.uniform("bias", {out}, 1.0 / std::sqrt(static_cast<double>(in)))) {}

torch::Tensor Linear::operator()(const torch::Tensor& x, const Execution& execution) const {
  return ops::linear(x, weight, bias, execution);
}

GroupNorm::GroupNorm(const ParameterScope& scope, std::int64_t groups_, std::int64_t channels)
    : weight(scope.constant("weight", {channels}, 1.0)),
      bias(scope.constant("bias", {channels}, 0.0)),
      groups(groups_) {}

torch::Tensor GroupNorm::operator()(const torch::Tensor& x, const Execution& execution, double slope,
                                    const torch::Tensor& shortcut) const {
  return ops::group_norm(x, groups, weight, bias, shortcut, slope, execution);
}

// The bound is the reference's: its initialiser takes in * out for the number of inputs.
KPConv::KPConv(const ParameterScope& scope, std::int64_t in, std::int64_t out, double radius, double sigma_,
               bool count_positive)
    : weights(scope.uniform("weights", {kernel_point_count, in, out},
                            1.0 / std::sqrt(static_cast<double>(in * out)))),
      bias(scope.uniform("bias", {out}, 1.0 / std::sqrt(static_cast<double>(in * out)))),
      kernel_points(scope.buffer("kernel_points", kernel_point_tensor(radius, scope.random()))),
      sigma(sigma_),
      count_positive_neighbours(count_positive) {}

torch::Tensor KPConv::operator()(const torch::Tensor& queries, const torch::Tensor& supports,
                                 const torch::Tensor& table, const torch::Tensor& features,
                                 const Execution& execution) const {
  return ops::kpconv(queries, supports, table, features, kernel_points, sigma, weights, bias,
                     count_positive_neighbours, execution);
}

UnaryBlock::UnaryBlock(const ParameterScope& scope, std::int64_t in, std::int64_t out, std::int64_t groups,
                       double slope_)
    : mlp(scope / "mlp", in, out), slope(slope_) {
  if (groups > 0) norm.emplace(scope / "norm" / "norm", groups, out);
}

torch::Tensor UnaryBlock::operator()(const torch::Tensor& x, const Execution& execution,
                                     const torch::Tensor& shortcut) const {
  return finish(mlp(x, execution), execution, shortcut);
}

torch::Tensor UnaryBlock::on_joined(const torch::Tensor& coarser, const torch::Tensor& nearest,
                                    const torch::Tensor& skip, const Execution& execution) const {
  const std::int64_t width = coarser.size(1);
  const torch::Tensor none = torch::zeros_like(mlp.bias);
  const torch::Tensor above = ops::linear(coarser, mlp.weight.narrow(1, 0, width), none, execution);
  const torch::Tensor here =
      ops::linear(skip, mlp.weight.narrow(1, width, skip.size(1)), mlp.bias, execution);
  return finish(here + ops::upsample(above, nearest, execution), execution, {});
}

torch::Tensor UnaryBlock::finish(const torch::Tensor& y, const Execution& execution,
                                 const torch::Tensor& shortcut) const {
  return norm ? (*norm)(y, execution, slope, shortcut) : y;
}

}  // namespace pmtr
