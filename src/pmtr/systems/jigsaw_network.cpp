// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/jigsaw_network.h"

#include <cmath>

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/network/ops.h"

namespace pmtr {
namespace {

/// Points of one object's breaks, and the truth about their partners.
struct TrueMatches {
  std::vector<std::int64_t> rows;      ///< of the batch
  std::vector<std::int64_t> partners;  ///< [break point]: places in `rows`
};

TrueMatches true_matches(const JigsawSample& sample, std::int64_t first) {
  TrueMatches truth;
  std::vector<std::int64_t> place(sample.points.size(), -1);
  for (std::size_t i = 0; i < sample.points.size(); ++i) {
    if (sample.broken[i] == 0) continue;
    place[i] = static_cast<std::int64_t>(truth.rows.size());
    truth.rows.push_back(first + static_cast<std::int64_t>(i));
  }
  for (const std::int64_t row : truth.rows)
    truth.partners.push_back(
        place[static_cast<std::size_t>(sample.partner[static_cast<std::size_t>(row - first)])]);
  return truth;
}

/// Cross entropy of every entry with whether it is a true match, over the number of rows.
torch::Tensor permutation_loss(const torch::Tensor& log_matches, const std::vector<std::int64_t>& partners) {
  const torch::Tensor column = torch::tensor(partners, torch::kLong).unsqueeze(1);
  // 1 - p, where the last division was by columns and rows may come to a little over 1.
  const torch::Tensor others = torch::log1p(-torch::exp(log_matches).clamp_max(1.0 - 1e-6));
  const torch::Tensor entropy =
      others.sum() + (log_matches.gather(1, column) - others.gather(1, column)).sum();
  return -entropy / static_cast<double>(partners.size());
}

}  // namespace

JigsawNetwork::JigsawNetwork(const ParameterScope& scope)
    : encoder_(scope / "encoder"),
      transformer_(scope / "transformer", JigsawEncoder::width),
      attention_(scope / "attention", JigsawEncoder::width),
      segment_norm_(scope / "segment_norm", JigsawEncoder::width),
      segment_(scope / "segment", JigsawEncoder::width, 1),
      describe_norm_(scope / "describe_norm", JigsawEncoder::width),
      describe_(scope / "describe", JigsawEncoder::width, 2 * descriptor),
      affinity_(scope.learnt(
          "affinity",
          torch::eye(descriptor) + uniform_tensor(scope.random(), {descriptor, descriptor},
                                                  1.0 / std::sqrt(static_cast<double>(descriptor))))) {}

torch::Tensor JigsawNetwork::encode(const JigsawBatch& batch, const SystemPass& pass) const {
  const torch::Tensor features = transformer_(batch.points, encoder_(batch, pass), batch.attended, pass);
  return attention_(features, batch.objects, pass);
}

torch::Tensor JigsawNetwork::segment(const torch::Tensor& features, const SystemPass& pass) const {
  return segment_(segment_norm_(features, pass, 0.0), pass.execution).squeeze(1);
}

std::vector<torch::Tensor> JigsawNetwork::affinities(const torch::Tensor& features,
                                                     const std::vector<std::int64_t>& counts,
                                                     const SystemPass& pass) const {
  const torch::Tensor both = describe_(describe_norm_(features, pass, 0.0), pass.execution);
  const torch::Tensor primal = ops::l2_normalise(both.narrow(1, 0, descriptor), pass.execution);
  const torch::Tensor dual = ops::l2_normalise(both.narrow(1, descriptor, descriptor), pass.execution);
  const auto product = [&](const torch::Tensor& a, const torch::Tensor& b_rows) {
    return ops::linear(a, b_rows, torch::zeros({b_rows.size(0)}, a.options().requires_grad(false)),
                       pass.execution);
  };
  const torch::Tensor asked = product(primal, affinity_.t().contiguous());
  std::vector<torch::Tensor> found;
  std::int64_t first = 0;
  for (const std::int64_t count : counts) {
    found.push_back(product(asked.narrow(0, first, count), dual.narrow(0, first, count)));
    first += count;
  }
  return found;
}

torch::Tensor JigsawNetwork::affinity(const torch::Tensor& features, const SystemPass& pass) const {
  return affinities(features, {features.size(0)}, pass)[0];
}

SystemLoss JigsawNetwork::loss(std::span<const JigsawSample> samples, double matching,
                               const SystemPass& pass) const {
  JigsawBatch batch = stack_jigsaw(samples);
  const auto type = affinity_.scalar_type();
  batch.points = batch.points.to(type);
  const torch::Tensor features = encode(batch, pass);
  std::vector<torch::Tensor> broken;
  for (const JigsawSample& sample : samples)
    broken.push_back(torch::tensor(std::vector<std::uint8_t>(sample.broken), torch::kByte).to(type));
  const torch::Tensor segmentation =
      torch::binary_cross_entropy_with_logits(segment(features, pass), torch::cat(broken, 0));
  SystemLoss loss{segmentation, {{"segmentation", segmentation.item<double>()}, {"matching", 0.0}}};
  if (matching <= 0.0) return loss;
  std::vector<TrueMatches> truths;
  std::vector<std::int64_t> rows, counts;
  std::int64_t first = 0;
  for (const JigsawSample& sample : samples) {
    TrueMatches truth = true_matches(sample, first);
    first += static_cast<std::int64_t>(sample.points.size());
    if (truth.rows.size() < 2) continue;
    rows.insert(rows.end(), truth.rows.begin(), truth.rows.end());
    counts.push_back(static_cast<std::int64_t>(truth.rows.size()));
    truths.push_back(std::move(truth));
  }
  if (truths.empty()) return loss;
  const auto scores = affinities(features.index_select(0, torch::tensor(rows, torch::kLong)), counts, pass);
  torch::Tensor sum = torch::zeros({}, features.options());
  for (std::size_t i = 0; i < truths.size(); ++i)
    sum = sum + permutation_loss(log_sinkhorn(scores[i] / temperature, sinkhorn_rounds), truths[i].partners);
  const torch::Tensor matched = sum / static_cast<double>(truths.size());
  loss.terms["matching"] = matched.item<double>();
  loss.total = loss.total + matching * matched;
  return loss;
}

}  // namespace pmtr
