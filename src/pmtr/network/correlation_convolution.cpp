// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/correlation_convolution.h"

#include <torch/types.h>

#include "pmtr/network/ops.h"

namespace pmtr {
namespace {

/// Per shell, how much each neighbour counts for each point: sparse [points, points]. A neighbour between two
/// shells counts for both; all of a point's count 1 in sum.
std::vector<torch::Tensor> shell_weights(const MatchSite& site, double reach, torch::ScalarType type) {
  const std::int64_t n = site.points.size(0);
  const torch::Tensor points = site.points.to(type);
  const torch::Tensor table = site.table.to(torch::kLong);
  const torch::Tensor neighbours = points.index_select(0, table.clamp_max(n - 1).flatten());
  const torch::Tensor distance =
      (neighbours.view({n, table.size(1), 3}) - points.unsqueeze(1)).square().sum(2).sqrt() / reach;
  const torch::Tensor there = (table < n).logical_and(distance <= 1.0);
  const torch::Tensor count = there.sum(1, true).clamp_min(1).to(type);
  const torch::Tensor rows = torch::arange(n, torch::kLong).unsqueeze(1).expand_as(table);
  constexpr auto gaps = static_cast<double>(CorrelationConvolution::shells - 1);
  std::vector<torch::Tensor> weights;
  for (std::int64_t shell = 0; shell < CorrelationConvolution::shells; ++shell) {
    const torch::Tensor share = (1.0 - (distance * gaps - static_cast<double>(shell)).abs()).clamp_min(0.0);
    const torch::Tensor kept = (share > 0.0).logical_and(there);
    const torch::Tensor indices = torch::stack({rows.masked_select(kept), table.masked_select(kept)});
    weights.push_back(
        torch::sparse_coo_tensor(indices, (share / count).masked_select(kept), {n, n}).coalesce());
  }
  return weights;
}

/// What each point's neighbours have, shell by shell: values [points, others, channels] -> [points, others,
/// shells channels].
torch::Tensor gather_shells(const std::vector<torch::Tensor>& weights, const torch::Tensor& values,
                            const Execution& execution) {
  const torch::Tensor flat = values.flatten(1);
  std::vector<torch::Tensor> gathered;
  for (const torch::Tensor& shell : weights) {
    execution.count(shell._nnz() * flat.size(1));
    gathered.push_back(torch::_sparse_mm(shell, flat).view(values.sizes()));
  }
  return torch::cat(gathered, 2);
}

}  // namespace

CorrelationConvolution::CorrelationConvolution(const ParameterScope& scope, std::int64_t width, double reach)
    : reach_(reach),
      score_(scope / "hdc" / "score", channels, 1),
      scale_((scope / "hdc").constant("scale", {}, 10.0)),
      join_(scope / "hdc" / "join", 2 * width, width) {
  for (int i = 0; i < 2; ++i) {
    const ParameterScope layer = scope / "hdc" / i;
    layers_.push_back({Linear(layer / "kernel", shells * (i == 0 ? 1 : channels), channels),
                       GroupNorm(layer / "norm", groups, channels)});
  }
}

std::array<torch::Tensor, 2> CorrelationConvolution::transform(const MatchSide& source,
                                                               const MatchSide& target,
                                                               const Execution& execution) const {
  const torch::Tensor& a = source.features;
  const torch::Tensor& b = target.features;
  const std::int64_t n = a.size(0);
  const std::int64_t m = b.size(0);
  const torch::Tensor cosines =
      torch::matmul(ops::l2_normalise(a, execution), ops::l2_normalise(b, execution).t());
  execution.count(n * m * a.size(1));
  const auto source_shells = shell_weights(source.site, reach_, a.scalar_type());
  const auto target_shells = shell_weights(target.site, reach_, a.scalar_type());
  torch::Tensor x = torch::relu(cosines).unsqueeze(2);  // [n, m, channels]
  for (const Layer& layer : layers_) {
    const torch::Tensor pivot_at_target = gather_shells(source_shells, x, execution);
    const torch::Tensor pivot_at_source =
        gather_shells(target_shells, x.transpose(0, 1).contiguous(), execution).transpose(0, 1);
    const torch::Tensor both = (pivot_at_target + pivot_at_source).view({n * m, -1});
    x = layer.norm(layer.kernel(both, execution), execution, /*slope=*/0.0).view({n, m, channels});
  }
  const torch::Tensor score = score_(x.view({n * m, channels}), execution).view({n, m}) + scale_ * cosines;
  const auto read = [&](const torch::Tensor& own, const torch::Tensor& logits, const torch::Tensor& other) {
    execution.count(n * m * a.size(1));
    return join_(torch::cat({own, torch::matmul(torch::softmax(logits, 1), other)}, 1), execution);
  };
  return {read(a, score, b), read(b, score.t(), a)};
}

double CorrelationConvolution::memory(std::int64_t source, std::int64_t target, bool training) const {
  // In numbers per pair of points. The test MatcherMemory compares this with what is allocated.
  const double pairs = static_cast<double>(source) * static_cast<double>(target) * sizeof(float);
  constexpr auto c = static_cast<double>(channels), s = static_cast<double>(shells);
  return pairs * (training ? 2.5 * s * c + 5.0 * c : 4.0 * s * c + 2.0 * c);
}

}  // namespace pmtr
