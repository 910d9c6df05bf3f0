// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/losses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/functional/normalization.h>
#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/network/ops.h"
#include "pmtr/network/tensor_view.h"

namespace pmtr {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// Loss and gradient come in one pass, so the gradient is kept from the forward.
struct CircleLossFunction : torch::autograd::Function<CircleLossFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& cosines, const Tensor& overlaps,
                        const kernels::CircleLossOptions* options, Threads* threads) {
    constexpr double floor = kernels::feature_distance_floor;
    Tensor distances = torch::empty_like(cosines);
    kernels::feature_distance_forward<float>(view(cosines), floor, *threads, mutable_view(distances));
    Tensor gradient = torch::empty_like(cosines);
    const auto loss = kernels::circle_loss<float>(cosines.size(0), cosines.size(1), view(distances),
                                                  view(overlaps), *options, *threads, mutable_view(gradient));
    kernels::feature_distance_backward<float>(view(distances), floor, view(gradient), *threads,
                                              mutable_view(gradient));
    ctx->save_for_backward({gradient});
    return torch::scalar_tensor(loss.loss, cosines.options());
  }
  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    return {ctx->get_saved_variables()[0] * grads[0], Tensor(), Tensor(), Tensor()};
  }
};

struct TransportFunction : torch::autograd::Function<TransportFunction> {
  /// The patches and options must outlive the graph.
  static Tensor forward(AutogradContext* ctx, const Tensor& scores, const Tensor& alpha,
                        const std::vector<kernels::TransportPatch>* patches,
                        const kernels::TransportOptions* options, Threads* threads) {
    const auto& last = patches->back();
    const std::int64_t size = last.output + (std::int64_t{last.rows} + 1) * (last.columns + 1);
    Tensor out = torch::empty({size}, scores.options());
    kernels::optimal_transport_forward<float>(*patches, view(scores), alpha.item<float>(), *options, *threads,
                                              mutable_view(out));
    ctx->save_for_backward({scores, alpha});
    ctx->saved_data["patches"] = reinterpret_cast<std::int64_t>(patches);
    ctx->saved_data["options"] = reinterpret_cast<std::int64_t>(options);
    ctx->saved_data["threads"] = reinterpret_cast<std::int64_t>(threads);
    return out;
  }
  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const auto& patches =
        *reinterpret_cast<const std::vector<kernels::TransportPatch>*>(ctx->saved_data["patches"].toInt());
    const auto& options =
        *reinterpret_cast<const kernels::TransportOptions*>(ctx->saved_data["options"].toInt());
    auto& threads = *reinterpret_cast<Threads*>(ctx->saved_data["threads"].toInt());
    const Tensor d_out = grads[0].contiguous();
    Tensor d_scores = torch::empty_like(saved[0]);
    const double d_alpha =
        kernels::optimal_transport_backward<float>(patches, view(saved[0]), saved[1].item<float>(),
                                                   view(d_out), options, threads, mutable_view(d_scores));
    return {d_scores, torch::full(saved[1].sizes(), d_alpha, saved[1].options()), Tensor(), Tensor(),
            Tensor()};
  }
};

Tensor index_tensor(const std::vector<std::int64_t>& values) {
  return torch::tensor(at::ArrayRef<std::int64_t>(values), torch::kLong);
}

/// The pairs of points the fine loss scores, and the entries of the transport it wants to be large.
struct FineTargets {
  std::vector<kernels::TransportPatch> patches;
  std::vector<std::int64_t> source_rows;
  std::vector<std::int64_t> target_rows;
  std::vector<std::int64_t> wanted;
};

FineTargets fine_targets(const PairTruth& truth, double radius) {
  FineTargets targets;
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> columns;
  for (const SuperpointMatch& pair : truth.superpoint_pairs) {
    rows.push_back(static_cast<std::int32_t>(truth.source_patches.of(pair.source).size()));
    columns.push_back(static_cast<std::int32_t>(truth.target_patches.of(pair.target).size()));
  }
  targets.patches = kernels::pack_transport_patches(rows, columns);
  const auto radius_squared = static_cast<float>(radius * radius);
  for (std::size_t b = 0; b < truth.superpoint_pairs.size(); ++b) {
    const auto source = truth.source_patches.of(truth.superpoint_pairs[b].source);
    const auto target = truth.target_patches.of(truth.superpoint_pairs[b].target);
    const std::int64_t base = targets.patches[b].output;
    const auto stride = static_cast<std::int64_t>(target.size()) + 1;
    std::vector<bool> target_matched(target.size(), false);
    for (std::size_t i = 0; i < source.size(); ++i) {
      const auto row = base + static_cast<std::int64_t>(i) * stride;
      bool matched = false;
      for (std::size_t j = 0; j < target.size(); ++j) {
        targets.source_rows.push_back(source[i]);
        targets.target_rows.push_back(target[j]);
        const Eigen::Vector3f offset = truth.source_assembled[static_cast<std::size_t>(source[i])] -
                                       truth.target_assembled[static_cast<std::size_t>(target[j])];
        if (offset.squaredNorm() >= radius_squared) continue;
        matched = true;
        target_matched[j] = true;
        targets.wanted.push_back(row + static_cast<std::int64_t>(j));
      }
      if (!matched) targets.wanted.push_back(row + stride - 1);
    }
    const auto dustbin_row = base + static_cast<std::int64_t>(source.size()) * stride;
    for (std::size_t j = 0; j < target.size(); ++j) {
      if (!target_matched[j]) targets.wanted.push_back(dustbin_row + static_cast<std::int64_t>(j));
    }
  }
  return targets;
}

Tensor overlap_matrix(const std::vector<PatchOverlap>& overlaps, std::int64_t rows, std::int64_t columns) {
  Tensor dense = torch::zeros({rows, columns});
  for (const PatchOverlap& pair : overlaps) {
    PMTR_CHECK(pair.source < rows && pair.target < columns, "an overlap of another pair");
    dense.data_ptr<float>()[pair.source * columns + pair.target] = pair.overlap;
  }
  return dense;
}

/// Of unit rows.
Tensor cosines_of(const Tensor& source, const Tensor& target, Threads& threads) {
  return ops::linear(source, target, torch::zeros({target.size(0)}), Execution{&threads});
}

/// Gram matrices of the proxies of all heads: [heads, heads, factors, factors].
Tensor gram(const Tensor& proxy) { return torch::einsum("hio,kjo->hkij", {proxy, proxy}); }

std::vector<Tensor> proxies_of(const PmtrNetwork& network) {
  std::vector<Tensor> proxies;
  for (const auto& entry : network.parameters().entries()) {
    if (entry.name.find(".proxy") != std::string::npos) proxies.push_back(entry.tensor);
  }
  return proxies;
}

}  // namespace

Tensor coarse_loss(const Tensor& source, const Tensor& target, const std::vector<PatchOverlap>& overlaps,
                   const kernels::CircleLossOptions& options, Threads& threads) {
  return CircleLossFunction::apply(cosines_of(source, target, threads),
                                   overlap_matrix(overlaps, source.size(0), target.size(0)), &options,
                                   &threads);
}

Tensor contrast_loss(const Tensor& source, const Tensor& target, const std::vector<PatchOverlap>& overlaps,
                     Threads& threads) {
  if (overlaps.empty()) return torch::zeros({}, source.options());
  constexpr double scale = 10.0;
  const Tensor logits = scale * cosines_of(source, target, threads);
  const Tensor partners = overlap_matrix(overlaps, source.size(0), target.size(0)) > 0.0;
  const auto one_way = [](const Tensor& scores, const Tensor& wanted) {
    const Tensor rows = wanted.any(1).nonzero().squeeze(1);
    const Tensor own = scores.index_select(0, rows);
    const Tensor others =
        own.masked_fill(wanted.index_select(0, rows).logical_not(), -std::numeric_limits<float>::infinity());
    return (own.logsumexp(1) - others.logsumexp(1)).mean();
  };
  return 0.5 * (one_way(logits, partners) + one_way(logits.t(), partners.t()));
}

Tensor fine_loss(const Tensor& source, const Tensor& target, const Tensor& dustbin_score,
                 const PairTruth& truth, const LossOptions& options, Threads& threads) {
  // Held by the graph through this shared copy: the loss may outlive this call.
  const auto targets = std::make_shared<FineTargets>(fine_targets(truth, options.fine_radius));
  if (targets->wanted.empty()) return torch::zeros({}, source.options());
  const Tensor f = source.index_select(0, index_tensor(targets->source_rows));
  const Tensor g = target.index_select(0, index_tensor(targets->target_rows));
  const Tensor scores = (f * g).sum(1) / std::sqrt(static_cast<double>(source.size(1)));
  const Tensor log_shares = TransportFunction::apply(scores.contiguous(), dustbin_score, &targets->patches,
                                                     &options.transport, &threads);
  const Tensor loss = -log_shares.index_select(0, index_tensor(targets->wanted)).mean();
  if (loss.requires_grad()) loss.register_hook([targets](const Tensor& gradient) { return gradient; });
  return loss;
}

Tensor fracture_loss(const Tensor& logits, std::span<const float> labels, double positive_weight) {
  PMTR_CHECK(logits.size(0) == static_cast<std::int64_t>(labels.size()), "one label per point");
  const Tensor wanted = torch::empty({logits.size(0)});
  std::copy(labels.begin(), labels.end(), wanted.data_ptr<float>());
  return torch::binary_cross_entropy_with_logits(logits, wanted, /*weight=*/{},
                                                 torch::full({1}, positive_weight), at::Reduction::Mean);
}

Tensor break_loss(const Tensor& logits, std::span<const float> labels) {
  PMTR_CHECK(logits.numel() == static_cast<std::int64_t>(labels.size()), "one label per point");
  const Tensor wanted = torch::empty({logits.numel()}, logits.options());
  std::copy(labels.begin(), labels.end(), wanted.data_ptr<float>());
  const Tensor entropy = torch::binary_cross_entropy_with_logits(logits, wanted);
  const Tensor said = torch::sigmoid(logits);
  // A fragment without any break has no overlap to speak of: the constant keeps its loss near 0.
  const double some = 0.01 * static_cast<double>(labels.size());
  const Tensor overlap = (2.0 * (said * wanted).sum() + some) / (said.sum() + wanted.sum() + some);
  return entropy + 0.5 * (1.0 - overlap);
}

Tensor orthonormal_loss(std::span<const Tensor> proxies) {
  Tensor sum = torch::zeros({});
  if (proxies.empty()) return sum;
  for (const Tensor& proxy : proxies) {
    const Tensor own = gram(proxy).diagonal(0, 0, 1).permute({2, 0, 1});  // [heads, factors, factors]
    sum = sum + (own - torch::eye(proxy.size(1), proxy.options())).square().mean();
  }
  return sum / static_cast<double>(proxies.size());
}

Tensor zero_loss(std::span<const Tensor> proxies) {
  Tensor sum = torch::zeros({});
  if (proxies.empty()) return sum;
  for (const Tensor& proxy : proxies) {
    const auto heads = proxy.size(0);
    const Tensor others = 1.0 - torch::eye(heads, proxy.options());
    const Tensor mean_squares = gram(proxy).square().mean(std::vector<std::int64_t>{2, 3});  // [heads, heads]
    sum = sum + (mean_squares * others).sum() / static_cast<double>(heads * (heads - 1));
  }
  return sum / static_cast<double>(proxies.size());
}

Tensor point_contrast_loss(const Tensor& source, const Tensor& target, const Tensor& temperature,
                           const PairTruth& truth) {
  constexpr float touching = 0.018F, apart = 0.04F;
  constexpr std::size_t most_anchors = 128;
  const Tensor a = torch::nn::functional::normalize(source), b = torch::nn::functional::normalize(target);
  const Tensor scale = torch::exp(temperature.clamp(0.0, 4.6));
  Tensor loss = torch::zeros({});
  const auto one_way = [&](const std::vector<Eigen::Vector3f>& from, const std::vector<Eigen::Vector3f>& to,
                           const Tensor& anchors_of, const Tensor& others) {
    std::vector<std::int64_t> anchors;
    std::vector<std::vector<std::int8_t>> kinds;  // 1: right, -1: neither, 0: wrong
    // Points are in no order of place, so every n-th is a fair choice.
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < from.size(); ++i) {
      for (const Eigen::Vector3f& q : to) {
        if ((from[i] - q).squaredNorm() < touching * touching) {
          candidates.push_back(i);
          break;
        }
      }
    }
    const std::size_t step = std::max<std::size_t>(1, (candidates.size() + most_anchors - 1) / most_anchors);
    for (std::size_t c = 0; c < candidates.size(); c += step) {
      anchors.push_back(static_cast<std::int64_t>(candidates[c]));
      std::vector<std::int8_t>& kind = kinds.emplace_back();
      for (const Eigen::Vector3f& q : to) {
        const float squared = (from[candidates[c]] - q).squaredNorm();
        kind.push_back(squared < touching * touching ? 1 : squared < apart * apart ? -1 : 0);
      }
    }
    if (anchors.empty()) return;
    const auto rows = static_cast<std::int64_t>(anchors.size()),
               columns = static_cast<std::int64_t>(to.size());
    const Tensor right = torch::empty({rows, columns}, torch::kBool);
    const Tensor neither = torch::empty({rows, columns}, torch::kBool);
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) {
        const std::int8_t kind = kinds[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
        right.data_ptr<bool>()[r * columns + c] = kind == 1;
        neither.data_ptr<bool>()[r * columns + c] = kind == -1;
      }
    const double nothing = -std::numeric_limits<float>::infinity();
    const Tensor logits = scale * torch::mm(anchors_of.index_select(0, torch::tensor(anchors)), others.t());
    const Tensor all = torch::logsumexp(logits.masked_fill(neither, nothing), 1);
    const Tensor hits = torch::logsumexp(logits.masked_fill(~right, nothing), 1);
    loss = loss + 0.5 * (all - hits).mean();
  };
  one_way(truth.source_assembled, truth.target_assembled, a, b);
  one_way(truth.target_assembled, truth.source_assembled, b, a);
  return loss;
}

MatchLoss match_loss(const PairFeatures& features, const PmtrNetwork& network, const PairTruth& truth,
                     const LossOptions& options, Threads& threads) {
  MatchLoss loss{torch::zeros({}), torch::zeros({}), torch::zeros({})};
  if (options.coarse != 0.0)
    loss.coarse = options.contrast ? contrast_loss(features.source_superpoints, features.target_superpoints,
                                                   truth.overlaps, threads)
                                   : coarse_loss(features.source_superpoints, features.target_superpoints,
                                                 truth.overlaps, options.circle, threads);
  if (options.fine != 0.0)
    loss.fine = fine_loss(features.source_points, features.target_points, network.dustbin_score(), truth,
                          options, threads);
  if (options.points != 0.0 && network.break_embedding() != nullptr)
    loss.points = point_contrast_loss(features.source_points, features.target_points,
                                      network.break_embedding()->temperature, truth);
  return loss;
}

ProxyLoss proxy_loss(const PmtrNetwork& network) {
  const std::vector<Tensor> proxies = proxies_of(network);
  return {orthonormal_loss(proxies), zero_loss(proxies)};
}

}  // namespace pmtr
