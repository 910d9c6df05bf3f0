// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/layers.h"

#include <cmath>

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/network/ops.h"
#include "pmtr/systems/fused_norm.h"
#include "pmtr/systems/rotations.h"

namespace pmtr {
namespace {

constexpr double norm_momentum = 0.1;
constexpr double head_slope = 0.2;

torch::Tensor activated(const torch::Tensor& x, double slope) {
  if (slope == 1.0) return x;
  return slope == 0.0 ? torch::relu(x) : torch::leaky_relu(x, slope);
}

}  // namespace

BatchNorm::BatchNorm(const ParameterScope& scope, std::int64_t channels)
    : weight(scope.constant("weight", {channels}, 1.0)),
      bias(scope.constant("bias", {channels}, 0.0)),
      running_mean(scope.buffer("running_mean", torch::zeros({channels}))),
      running_variance(scope.buffer("running_variance", torch::ones({channels}))) {}

torch::Tensor BatchNorm::operator()(const torch::Tensor& x, const SystemPass& pass, double slope) const {
  PMTR_CHECK(x.dim() == 2 && x.size(1) == weight.size(0), "a norm of [rows, channels]");
  PMTR_CHECK(!pass.training || x.size(0) > 1, "statistics of more than one row");
  if (!pass.training || x.scalar_type() != torch::kFloat)
    return activated(torch::batch_norm(x, weight, bias, running_mean, running_variance, pass.training,
                                       norm_momentum, norm_epsilon, /*cudnn_enabled=*/false),
                     slope);
  const FusedNorm normed = fused_batch_norm(x, weight, bias, norm_epsilon, slope, *pass.execution.threads);
  follow(normed.mean, normed.variance, x.size(0));
  return normed.out;
}

void BatchNorm::follow(const torch::Tensor& mean, const torch::Tensor& variance, std::int64_t rows) const {
  const torch::NoGradGuard no_grad;
  const auto count = static_cast<double>(rows);
  torch::Tensor own_mean = running_mean, own_variance = running_variance;
  own_mean.lerp_(mean, norm_momentum);
  own_variance.lerp_(variance * (count / (count - 1.0)), norm_momentum);
}

Unbiased::Unbiased(const ParameterScope& scope, std::int64_t in, std::int64_t out)
    : weight(scope.uniform("weight", {out, in}, 1.0 / std::sqrt(static_cast<double>(in)))) {}

torch::Tensor Unbiased::operator()(const torch::Tensor& x, const Execution& execution) const {
  return ops::linear(x, weight, torch::zeros({weight.size(0)}, weight.options().requires_grad(false)),
                     execution);
}

NormedLayer::NormedLayer(const ParameterScope& scope, std::int64_t in, std::int64_t out, double slope_)
    : linear(scope / "linear", in, out), norm(scope / "norm", out), slope(slope_) {}

torch::Tensor NormedLayer::operator()(const torch::Tensor& x, const SystemPass& pass) const {
  return norm(linear(x, pass.execution), pass, slope);
}

NormedLayers::NormedLayers(const ParameterScope& scope, const std::vector<std::int64_t>& widths,
                           double slope) {
  for (std::size_t i = 1; i < widths.size(); ++i)
    layers.emplace_back(scope / static_cast<int>(i - 1), widths[i - 1], widths[i], slope);
}

torch::Tensor NormedLayers::operator()(torch::Tensor x, const SystemPass& pass) const {
  for (const NormedLayer& layer : layers) x = layer(x, pass);
  return x;
}

PlainLayers::PlainLayers(const ParameterScope& scope, const std::vector<std::int64_t>& widths, double slope_)
    : slope(slope_) {
  for (std::size_t i = 1; i < widths.size(); ++i)
    layers.emplace_back(scope / static_cast<int>(i - 1), widths[i - 1], widths[i]);
}

torch::Tensor PlainLayers::operator()(torch::Tensor x, const SystemPass& pass) const {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    x = layers[i](x, pass.execution);
    if (i + 1 < layers.size()) x = activated(x, slope);
  }
  return x;
}

PointNet::PointNet(const ParameterScope& scope)
    : layers(scope, {3, 64, 64, 64, 128}, 0.0), last(scope / "last", 128, width, 1.0) {}

torch::Tensor PointNet::operator()(const torch::Tensor& points, const SystemPass& pass) const {
  return largest_of_rows(last(layers(points.reshape({-1, 3}), pass), pass), points.size(1), pass.execution);
}

PoseHead::PoseHead(const ParameterScope& scope, std::int64_t in)
    : layers(scope, {in, 256, 128}, head_slope),
      quaternion(scope / "quaternion", 128, 4),
      translation(scope / "translation", 128, 3) {}

PartPoses PoseHead::operator()(const torch::Tensor& features, const SystemPass& pass) const {
  const torch::Tensor hidden = torch::leaky_relu(layers(features, pass), head_slope);
  PartPoses poses;
  poses.quaternion = unit_rows(quaternion(hidden, pass.execution));
  poses.rotation = matrices_of_quaternions(poses.quaternion);
  poses.translation = translation(hidden, pass.execution);
  return poses;
}

torch::Tensor largest_of_rows(const torch::Tensor& rows, std::int64_t count, const Execution& execution) {
  const torch::Tensor table = torch::arange(rows.size(0), torch::kInt).view({-1, count});
  return ops::max_pool(rows, table, execution);
}

torch::Tensor dropout_mask(std::vector<std::int64_t> shape, double share, const torch::Tensor& like,
                           Random& random) {
  torch::Tensor mask = torch::empty(shape, torch::kFloat);
  float* values = mask.data_ptr<float>();
  const auto kept = static_cast<float>(1.0 / (1.0 - share));
  for (std::int64_t i = 0; i < mask.numel(); ++i) values[i] = random.uniform() < share ? 0.0F : kept;
  return mask.to(like.scalar_type());
}

torch::Tensor owners_of(const PartBatch& batch) {
  torch::Tensor owners = torch::empty({batch.parts()}, torch::kLong);
  auto* owner = owners.data_ptr<std::int64_t>();
  for (std::size_t object = 0; object < batch.counts.size(); ++object)
    owner = std::fill_n(owner, batch.counts[object], static_cast<std::int64_t>(object));
  return owners;
}

}  // namespace pmtr
