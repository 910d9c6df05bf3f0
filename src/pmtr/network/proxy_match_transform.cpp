// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/proxy_match_transform.h"

#include <cmath>

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/network/composed_ops.h"
#include "pmtr/network/ops.h"

namespace pmtr {
namespace {

constexpr std::int64_t heads = 4;
constexpr std::int64_t channels_in = 64;
constexpr double matcher_slope = 0.01;
// The farthest neighbour is this far away for the perceptron of the attention: it begins with weights
// below 1.
constexpr double farthest = 4.0;

// A braced list is evaluated from left to right, so parameters are made in the order source, target.
PerRole<Linear> linear_per_role(const ParameterScope& scope, const std::string& prefix, std::int64_t in,
                                std::int64_t out) {
  return PerRole<Linear>{Linear(scope / (prefix + "_src"), in, out),
                         Linear(scope / (prefix + "_trg"), in, out)};
}

PerRole<torch::Tensor> make_proxies(const ParameterScope& scope, std::int64_t factors, ProxyKind kind) {
  const auto learnt = [&](const char* name) {
    return scope.uniform(name, {heads, factors, 4 * factors}, 1.0 / std::sqrt(static_cast<double>(factors)));
  };
  if (kind == ProxyKind::separate) return {learnt("proxy_src"), learnt("proxy_trg")};
  if (kind == ProxyKind::shared) {
    const torch::Tensor proxy = learnt("proxy");
    return {proxy, proxy};
  }
  const torch::Tensor copies = torch::zeros({heads, factors, 4 * factors});
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t f = 0; f < factors; ++f) copies[h][f][4 * f + h] = 1.0F;
  return {copies, copies};
}

}  // namespace

DistanceAttention::DistanceAttention(const ParameterScope& scope)
    : hidden(scope / 0, 1, 4), out(scope / 2, 4, heads) {}

torch::Tensor DistanceAttention::operator()(const torch::Tensor& values, const MatchSite& site,
                                            const Execution& execution) const {
  return ops::neighbour_attention(values, site.distances, site.table, hidden.weight, hidden.bias, out.weight,
                                  out.bias, execution);
}

torch::Tensor DistanceAttention::weights(const MatchSite& site) const {
  return composed::attention_weights(site.distances, site.table, hidden.weight, hidden.bias, out.weight,
                                     out.bias);
}

ProxyLayer::ProxyLayer(const ParameterScope& scope, std::int64_t factors, std::int64_t channels,
                       ProxyKind kind)
    : proxies(make_proxies(scope, factors, kind)),
      project(linear_per_role(scope, "w", channels, channels / 4 * heads)),
      merge(linear_per_role(scope, "out", channels / 4 * heads, channels / 4)) {}

torch::Tensor ProxyLayer::operator()(const torch::Tensor& x,
                                     const std::function<torch::Tensor(const torch::Tensor&)>& attend,
                                     Role role, const Execution& execution) const {
  const torch::Tensor& proxy = proxies[role];
  const std::int64_t n = x.size(0);
  const std::int64_t factors = x.size(1);
  const std::int64_t channels = x.size(2);
  const std::int64_t head_count = proxy.size(0);
  const Linear& in = project[role];
  const Linear& out = merge[role];
  const std::int64_t width = out.weight.size(0);
  const std::int64_t inner = out.weight.size(1) / head_count;
  PMTR_CHECK(proxy.size(1) == factors && in.weight.size(1) == channels, "proxy layer: wrong feature size");

  // Rows of the projection are (inner, head), head fastest; so are the columns of the merge.
  const torch::Tensor merge_weight = out.weight.view({width, inner, head_count});
  const torch::Tensor weight =
      torch::einsum("dch,chi->dhi", {merge_weight, in.weight.view({inner, head_count, channels})});
  const torch::Tensor bias = torch::einsum("dch,ch->dh", {merge_weight, in.bias.view({inner, head_count})});

  torch::Tensor values =
      ops::linear(x, weight.reshape({width * head_count, channels}), bias.flatten(), execution);
  values = attend(values.view({n, factors * width, head_count}));
  const torch::Tensor rows = values.view({n, factors, width, head_count}).permute({0, 2, 1, 3});
  // [factors out, (factors in, heads)]: the proxies as the weight of one linear layer.
  const torch::Tensor mixing = proxy.permute({2, 1, 0}).reshape({proxy.size(2), factors * head_count});
  const torch::Tensor none = torch::zeros({proxy.size(2)}, proxy.options());
  const torch::Tensor mixed =
      ops::linear(rows.reshape({n * width, factors * head_count}), mixing, none, execution);
  return mixed.view({n, width, -1}).transpose(1, 2) + out.bias;
}

ProxyMatchTransform::ProxyMatchTransform(const ParameterScope& scope, std::int64_t width, Level level,
                                         ProxyKind proxies, double reach)
    : level_(level), reach_(reach) {
  PMTR_CHECK(width % channels_in == 0);
  std::int64_t factors = width / channels_in;
  std::int64_t channels = channels_in;
  for (int i = 0; i < 2; ++i, factors *= 4, channels /= 4) {
    const ParameterScope layer = scope / "pmt" / i;
    layers_.emplace_back(layer, factors, channels, proxies);
    if (level == Level::fine) {
      attention_.push_back({DistanceAttention(layer / "src_att"), DistanceAttention(layer / "trg_att")});
    }
  }
  channels = channels_in;
  for (int i = 0; i < 2; ++i) {
    channels /= 4;
    const ParameterScope norm = scope / "norms" / i / "norm";
    norms_.push_back({norm.constant("weight", {channels}, 1.0), norm.constant("bias", {channels}, 0.0)});
  }
  if (level == Level::coarse) {
    // In the names of the weight files att_layer1 is the source's, att_layer2 the target's.
    std::vector<DistanceAttention> source{DistanceAttention(scope / "att_layer1" / 0),
                                          DistanceAttention(scope / "att_layer1" / 1)};
    std::vector<DistanceAttention> target{DistanceAttention(scope / "att_layer2" / 0),
                                          DistanceAttention(scope / "att_layer2" / 1)};
    for (std::size_t i = 0; i < 2; ++i) attention_.push_back({source[i], target[i]});
  }
  // The reference has this layer at the fine level too but never calls it; its weight files carry it.
  out_.emplace(scope / "out", width, width);
}

MatchSite ProxyMatchTransform::seen(const MatchSite& site) const {
  MatchSite result = site;
  if (reach_ > 0.0) {
    const torch::Tensor lengths = level_ == Level::fine ? site.distances.sqrt() : site.distances;
    // Missing neighbours have any distance, and no weight; but a large one must not become a large number.
    result.distances = (lengths * (farthest / reach_)).clamp_max(farthest);
  }
  return result;
}

torch::Tensor ProxyMatchTransform::run(const torch::Tensor& features, const MatchSite& site, Role role,
                                       const Execution& execution,
                                       std::vector<torch::Tensor>* outputs) const {
  const std::int64_t n = features.size(0);
  const MatchSite near = seen(site);
  torch::Tensor x = features.view({n, -1, channels_in});
  x = ops::l2_normalise(x, execution);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const DistanceAttention& attention = attention_[i][role];
    const auto attend = [&](const torch::Tensor& values) { return attention(values, near, execution); };
    x = layers_[i](x, attend, role, execution);
    if (outputs != nullptr) outputs->push_back(x.reshape({n, -1}));
    x = ops::factor_norm(x, norms_[i].weight, norms_[i].bias, matcher_slope, execution);
  }
  return x.reshape({n, -1});
}

torch::Tensor ProxyMatchTransform::transform(const torch::Tensor& features, const MatchSite& site, Role role,
                                             const Execution& execution) const {
  const torch::Tensor x = run(features, site, role, execution, nullptr);
  return level_ == Level::coarse ? (*out_)(x, execution) : x;
}

std::vector<torch::Tensor> ProxyMatchTransform::layer_outputs(const torch::Tensor& features,
                                                              const MatchSite& site, Role role,
                                                              const Execution& execution) const {
  std::vector<torch::Tensor> outputs;
  run(features, site, role, execution, &outputs);
  return outputs;
}

std::vector<torch::Tensor> ProxyMatchTransform::attention(const MatchSite& site, Role role) const {
  const MatchSite near = seen(site);
  std::vector<torch::Tensor> weights;
  for (const PerRole<DistanceAttention>& layer : attention_) weights.push_back(layer[role].weights(near));
  return weights;
}

}  // namespace pmtr
