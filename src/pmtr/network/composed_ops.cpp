// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/composed_ops.h"

#include <limits>

#include <torch/types.h>

namespace pmtr::composed {
namespace {

/// Rows of `values` by table, with one row of `fill` for "none": [rows, width, ...].
torch::Tensor gather_rows(const torch::Tensor& values, const torch::Tensor& table, double fill) {
  auto pad_shape = values.sizes().vec();
  pad_shape[0] = 1;
  const torch::Tensor padded = torch::cat({values, torch::full(pad_shape, fill, values.options())}, 0);
  auto shape = values.sizes().vec();
  shape.erase(shape.begin());
  shape.insert(shape.begin(), table.sizes().begin(), table.sizes().end());
  return padded.index_select(0, table.flatten().to(torch::kLong)).view(shape);
}

}  // namespace

torch::Tensor kpconv(const torch::Tensor& queries, const torch::Tensor& supports, const torch::Tensor& table,
                     const torch::Tensor& features, const torch::Tensor& kernel_points, double sigma,
                     const torch::Tensor& weights, const torch::Tensor& bias,
                     bool count_positive_neighbours) {
  const torch::Tensor offsets = gather_rows(supports, table, 1e6) - queries.unsqueeze(1);         // [m, w, 3]
  const torch::Tensor distances = (offsets.unsqueeze(2) - kernel_points).square().sum(3).sqrt();  // [m, w, k]
  const torch::Tensor influence = (1.0 - distances / sigma).clamp_min(0.0).transpose(1, 2);       // [m, k, w]
  const torch::Tensor neighbours = gather_rows(features, table, 0.0);                   // [m, w, in]
  const torch::Tensor gathered = torch::matmul(influence, neighbours);                  // [m, k, in]
  const torch::Tensor out = torch::matmul(gathered.flatten(1), weights.flatten(0, 1));  // [m, out]
  const torch::Tensor counted =
      count_positive_neighbours ? neighbours.detach().sum(2) > 0.0 : table < supports.size(0);
  const torch::Tensor count = counted.sum(1, true).clamp_min(1).to(out.dtype());
  return out / count + bias;
}

torch::Tensor max_pool(const torch::Tensor& features, const torch::Tensor& table) {
  return std::get<0>(gather_rows(features, table, 0.0).max(1));
}

torch::Tensor edge_pool(const torch::Tensor& from, const torch::Tensor& to, const torch::Tensor& table,
                        const torch::Tensor& edges, const torch::Tensor& weight) {
  const torch::Tensor z = torch::leaky_relu(
      gather_rows(from, table, 0.0) + to.unsqueeze(1) + torch::matmul(edges, weight), 0.1);  // [n, width, c]
  const std::int64_t half = from.size(1) / 2;
  const torch::Tensor none = (table >= from.size(0)).unsqueeze(2);
  const torch::Tensor count = (~none).sum(1).clamp_min(1);
  const torch::Tensor nobody = none.all(1);
  const torch::Tensor largest =
      std::get<0>(z.narrow(2, 0, half).masked_fill(none, -std::numeric_limits<float>::infinity()).max(1));
  const torch::Tensor mean = z.narrow(2, half, half).masked_fill(none, 0.0).sum(1) / count;
  return torch::cat({largest.masked_fill(nobody, 0.0), mean}, 1);
}

torch::Tensor upsample(const torch::Tensor& features, const torch::Tensor& index) {
  return gather_rows(features, index.unsqueeze(1), 0.0).squeeze(1);
}

torch::Tensor group_norm(const torch::Tensor& x, std::int64_t groups, const torch::Tensor& weight,
                         const torch::Tensor& bias, const torch::Tensor& shortcut, double slope) {
  torch::Tensor y = torch::group_norm(x.t().unsqueeze(0), groups, weight, bias, 1e-5).squeeze(0).t();
  if (shortcut.defined()) y = y + shortcut;
  return slope == 1.0 ? y.contiguous() : torch::leaky_relu(y, slope).contiguous();
}

torch::Tensor attention_weights(const torch::Tensor& distances, const torch::Tensor& table,
                                const torch::Tensor& hidden_weight, const torch::Tensor& hidden_bias,
                                const torch::Tensor& out_weight, const torch::Tensor& out_bias) {
  const torch::Tensor hidden =
      torch::relu(torch::matmul(distances.unsqueeze(2), hidden_weight.t()) + hidden_bias);
  torch::Tensor logits = torch::matmul(hidden, out_weight.t()) + out_bias;  // [n, w, heads]
  const torch::Tensor none = (table == table.size(0)).unsqueeze(2);
  logits = logits.masked_fill(none, -std::numeric_limits<double>::infinity());
  return torch::softmax(logits, 1).masked_fill(none, 0.0);
}

torch::Tensor attend(const torch::Tensor& weights, const torch::Tensor& table, const torch::Tensor& values) {
  const torch::Tensor gathered = gather_rows(values, table, 0.0);  // [n, neighbours, width, heads]
  return torch::einsum("njh,njwh->nwh", {weights, gathered}).contiguous();
}

torch::Tensor factor_norm(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                          double slope) {
  const torch::Tensor mean = x.mean(1, true);
  const torch::Tensor centred = x - mean;
  const torch::Tensor variance = centred.square().mean(1, true);
  return torch::leaky_relu(centred * (variance + 1e-5).rsqrt() * weight + bias, slope);
}

}  // namespace pmtr::composed
