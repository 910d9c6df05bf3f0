// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "own_golden/plain_losses.h"

#include <cmath>
#include <limits>

#include <torch/types.h>

namespace pmtr::test {
namespace {

using torch::Tensor;

Tensor rows_of(const Tensor& features, std::span<const std::int32_t> rows) {
  const std::vector<std::int64_t> index(rows.begin(), rows.end());
  return features.index_select(0, torch::tensor(at::ArrayRef<std::int64_t>(index), torch::kLong));
}

Tensor log_of(std::int64_t n) { return torch::full({1}, std::log(static_cast<double>(n)), torch::kDouble); }

/// Sinkhorn's iterations on the scores with a dustbin: log shares [m + 1, n + 1].
Tensor transport(const Tensor& scores, const Tensor& dustbin, int iterations) {
  const auto m = scores.size(0), n = scores.size(1);
  const Tensor with_column = torch::cat({scores, dustbin.expand({m, 1})}, 1);
  const Tensor z = torch::cat({with_column, dustbin.expand({1, n + 1})}, 0);
  const Tensor norm = -log_of(m + n);
  const Tensor log_rows = torch::cat({norm.expand({m}), log_of(n) + norm});
  const Tensor log_columns = torch::cat({norm.expand({n}), log_of(m) + norm});
  Tensor u = torch::zeros_like(log_rows), v = torch::zeros_like(log_columns);
  for (int i = 0; i < iterations; ++i) {
    u = log_rows - torch::logsumexp(z + v.unsqueeze(0), 1);
    v = log_columns - torch::logsumexp(z + u.unsqueeze(1), 0);
  }
  return z + u.unsqueeze(1) + v.unsqueeze(0) - norm;
}

Tensor positions(const std::vector<Eigen::Vector3f>& points, std::span<const std::int32_t> rows) {
  Tensor out = torch::empty({std::ssize(rows), 3});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (int k = 0; k < 3; ++k)
      out.data_ptr<float>()[3 * i + static_cast<std::size_t>(k)] =
          points[static_cast<std::size_t>(rows[i])][k];
  }
  return out;
}

Tensor overlap_matrix(const Tensor& source, const Tensor& target, const PairTruth& truth) {
  Tensor overlaps = torch::zeros({source.size(0), target.size(0)}, torch::kDouble);
  for (const PatchOverlap& pair : truth.overlaps)
    overlaps[pair.source][pair.target] = static_cast<double>(pair.overlap);
  return overlaps;
}

}  // namespace

Tensor plain_coarse_loss(const Tensor& source, const Tensor& target, const PairTruth& truth,
                         const kernels::CircleLossOptions& options) {
  const Tensor overlaps = overlap_matrix(source, target, truth);
  const Tensor d = (2.0 - 2.0 * torch::matmul(source, target.t())).clamp_min(1e-12).sqrt();
  const Tensor positive = overlaps > options.positive_overlap, negative = overlaps == 0.0;
  const Tensor fixed = d.detach();
  const Tensor pull = (fixed - options.positive_optimum).clamp_min(0.0) * overlaps.sqrt() * positive;
  const Tensor push = (options.negative_optimum - fixed).clamp_min(0.0) * negative;
  const double s = options.log_scale;
  const auto one_way = [&](int dim) {
    const Tensor counts = positive.any(dim).logical_and(negative.any(dim)).nonzero().squeeze(1);
    const Tensor p = torch::logsumexp(s * (d - options.positive_margin) * pull, dim);
    const Tensor n = torch::logsumexp(s * (options.negative_margin - d) * push, dim);
    return (torch::softplus(p + n) / s).index_select(0, counts).mean();
  };
  return 0.5 * (one_way(1) + one_way(0));
}

Tensor plain_contrast_loss(const Tensor& source, const Tensor& target, const PairTruth& truth) {
  const Tensor logits = 10.0 * torch::matmul(source, target.t());
  const Tensor strangers = overlap_matrix(source, target, truth) == 0.0;
  const auto one_way = [&](int dim) {
    const Tensor rows = strangers.all(dim).logical_not().nonzero().squeeze(1);
    const Tensor partners = logits.masked_fill(strangers, -std::numeric_limits<double>::infinity());
    const Tensor share = torch::logsumexp(logits, dim) - torch::logsumexp(partners, dim);
    return share.index_select(0, rows).mean();
  };
  return 0.5 * (one_way(1) + one_way(0));
}

Tensor plain_fine_loss(const Tensor& source, const Tensor& target, const Tensor& dustbin,
                       const PairTruth& truth, const LossOptions& options) {
  Tensor sum = torch::zeros({}, torch::kDouble);
  double count = 0.0;
  for (const SuperpointMatch& pair : truth.superpoint_pairs) {
    const auto rows = truth.source_patches.of(pair.source), columns = truth.target_patches.of(pair.target);
    const Tensor scores = torch::matmul(rows_of(source, rows), rows_of(target, columns).t()) /
                          std::sqrt(static_cast<double>(source.size(1)));
    const Tensor shares = transport(scores, dustbin, options.transport.iterations);
    const Tensor offsets = positions(truth.source_assembled, rows).unsqueeze(1) -
                           positions(truth.target_assembled, columns).unsqueeze(0);
    const Tensor near =
        offsets.square().sum(2) < static_cast<float>(options.fine_radius * options.fine_radius);
    const Tensor lone_rows = near.any(1).logical_not().unsqueeze(1), lone_columns = near.any(0).logical_not();
    const Tensor bottom = torch::cat({lone_columns, torch::zeros({1}, torch::kBool)}).unsqueeze(0);
    const Tensor wanted = torch::cat({torch::cat({near, lone_rows}, 1), bottom}, 0);
    sum = sum - (shares * wanted).sum();
    count += wanted.sum().item<double>();
  }
  return sum / count;
}

Tensor plain_fracture_logits(const PmtrNetwork& network, const NetworkOutput& output,
                             const PyramidBatch& batch, const DenseSite& dense) {
  const auto linear = [&](const std::string& name, const Tensor& x) {
    return torch::linear(x, *network.parameters().find("fracture_head." + name + ".weight"),
                         *network.parameters().find("fracture_head." + name + ".bias"));
  };
  const Tensor own =
      torch::tensor(at::ArrayRef<float>(dense.features.values)).view({dense.features.rows, -1});
  const Tensor up = batch.levels[0].up.to(torch::kLong);
  const Tensor around = linear("wide.mlp", output.decoded.level1_before_match).index_select(0, up) +
                        linear("near.mlp", output.encoded[0]);
  Tensor x = linear("own.mlp", own.to(torch::kDouble)) + rows_of(around, dense.nearest);
  x = torch::leaky_relu(linear("middle.mlp", torch::leaky_relu(x, 0.1)), 0.1);
  return linear("out", x).squeeze(1);
}

}  // namespace pmtr::test
