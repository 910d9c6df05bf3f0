// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/ops.h"

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/network/composed_ops.h"
#include "pmtr/network/fused_ops.h"

namespace pmtr::ops {
namespace {

bool fusible(const torch::Tensor& x, const Execution& execution) {
  return !execution.composed && x.device().is_cpu() && x.scalar_type() == torch::kFloat;
}

Threads& threads_of(const Execution& execution) {
  PMTR_CHECK(execution.threads != nullptr, "the kernels need threads to run on");
  return *execution.threads;
}

}  // namespace

torch::Tensor kpconv(const torch::Tensor& queries, const torch::Tensor& supports, const torch::Tensor& table,
                     const torch::Tensor& features, const torch::Tensor& kernel_points, double sigma,
                     const torch::Tensor& weights, const torch::Tensor& bias, bool count_positive_neighbours,
                     const Execution& execution) {
  PMTR_CHECK(features.size(0) == supports.size(0) && features.size(1) == weights.size(1) &&
                 table.size(0) == queries.size(0) && kernel_points.size(0) == weights.size(0),
             "kpconv: sizes of points, features, weights and neighbours differ");
  // Three for the squared distance to each kernel point; then the influence times the features of neighbours,
  // and those at the kernel points times the weights.
  execution.count(table.numel() * kernel_points.size(0) * (3 + weights.size(1)) +
                  queries.size(0) * weights.numel());
  if (fusible(features, execution)) {
    return fused::kpconv(queries, supports, table, features, kernel_points, sigma, weights, bias,
                         count_positive_neighbours, threads_of(execution));
  }
  return composed::kpconv(queries, supports, table, features, kernel_points, sigma, weights, bias,
                          count_positive_neighbours);
}

torch::Tensor max_pool(const torch::Tensor& features, const torch::Tensor& table,
                       const Execution& execution) {
  if (fusible(features, execution)) return fused::max_pool(features, table, threads_of(execution));
  return composed::max_pool(features, table);
}

torch::Tensor upsample(const torch::Tensor& features, const torch::Tensor& index,
                       const Execution& execution) {
  if (fusible(features, execution)) return fused::upsample(features, index, threads_of(execution));
  return composed::upsample(features, index);
}

torch::Tensor group_norm(const torch::Tensor& x, std::int64_t groups, const torch::Tensor& weight,
                         const torch::Tensor& bias, const torch::Tensor& shortcut, double slope,
                         const Execution& execution) {
  PMTR_CHECK(!shortcut.defined() || shortcut.sizes() == x.sizes(),
             "group_norm: the shortcut has another size");
  if (fusible(x, execution))
    return fused::group_norm(x, groups, weight, bias, shortcut, slope, threads_of(execution));
  return composed::group_norm(x, groups, weight, bias, shortcut, slope);
}

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                     const Execution& execution) {
  PMTR_CHECK(x.size(-1) == weight.size(1), "linear: wrong feature length");
  execution.count(x.numel() * weight.size(0));
  if (fusible(x, execution)) return fused::linear(x, weight, bias, threads_of(execution));
  return torch::linear(x, weight, bias);
}

torch::Tensor neighbour_attention(const torch::Tensor& values, const torch::Tensor& distances,
                                  const torch::Tensor& table, const torch::Tensor& hidden_weight,
                                  const torch::Tensor& hidden_bias, const torch::Tensor& out_weight,
                                  const torch::Tensor& out_bias, const Execution& execution) {
  PMTR_CHECK(distances.sizes() == table.sizes() && values.size(0) == table.size(0),
             "attention: sizes of values, distances and neighbours differ");
  execution.count(table.numel() * (hidden_weight.numel() + out_weight.numel()) +
                  values.numel() * table.size(1));
  if (fusible(values, execution)) {
    return fused::neighbour_attention(values, distances, table, hidden_weight, hidden_bias, out_weight,
                                      out_bias, threads_of(execution));
  }
  return composed::attend(
      composed::attention_weights(distances, table, hidden_weight, hidden_bias, out_weight, out_bias), table,
      values);
}

torch::Tensor factor_norm(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                          double slope, const Execution& execution) {
  if (fusible(x, execution)) return fused::factor_norm(x, weight, bias, slope, threads_of(execution));
  return composed::factor_norm(x, weight, bias, slope);
}

torch::Tensor edge_pool(const torch::Tensor& from, const torch::Tensor& to, const torch::Tensor& table,
                        const torch::Tensor& edges, const torch::Tensor& weight, const Execution& execution) {
  PMTR_CHECK(table.size(0) == to.size(0) && edges.size(1) == table.size(1) && from.size(1) == to.size(1),
             "edge_pool: sizes of points, features, edges and weights differ");
  execution.count(edges.numel() * weight.size(1));
  if (fusible(from, execution))
    return fused::edge_pool(from, to, table, edges, weight, threads_of(execution));
  return composed::edge_pool(from, to, table, edges, weight);
}

torch::Tensor l2_normalise(const torch::Tensor& x, const Execution& execution) {
  if (fusible(x, execution)) return fused::l2_normalise(x, threads_of(execution));
  return x / x.square().sum(-1, true).sqrt().clamp_min(1e-12);
}

}  // namespace pmtr::ops
