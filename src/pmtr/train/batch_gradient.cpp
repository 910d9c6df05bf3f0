// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/batch_gradient.h"

#include <array>

#include <torch/autograd.h>
#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/core/threads.h"

namespace pmtr {
namespace {

using torch::Tensor;
using Tensors = std::vector<Tensor>;

Tensors gradients_of(const Tensors& outputs, const Tensors& inputs, const Tensors& output_gradients) {
  return torch::autograd::grad(outputs, inputs, output_gradients, /*retain_graph=*/false,
                               /*create_graph=*/false, /*allow_unused=*/true);
}

/// sum += term, where either may be undefined.
void add_to(Tensors& sum, const Tensors& term) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (!term[i].defined()) continue;
    if (sum[i].defined()) {
      sum[i].add_(term[i]);
    } else {
      sum[i] = term[i].clone();
    }
  }
}

struct FragmentOutput {
  Tensor superpoints;
  Tensor points;
  Tensor fracture;  ///< its loss; undefined without a head or labels
};

/// The features of a fragment cut off from the network, so that the losses can be differentiated first and
/// the two fragments then side by side.
struct CutOff {
  Tensor superpoints;
  Tensor points;
  explicit CutOff(const FragmentOutput& output)
      : superpoints(output.superpoints.detach().requires_grad_()),
        points(output.points.detach().requires_grad_()) {}
};

struct PairGradient {
  Tensors gradients;
  double coarse = 0.0;
  double fine = 0.0;
  double points = 0.0;
  double fracture = 0.0;
};

Tensor weighted(const MatchLoss& loss, const LossOptions& options) {
  return options.coarse * loss.coarse + options.fine * loss.fine + options.points * loss.points;
}

Tensor head_loss(const FractureHead& head, const PyramidBatch& batch, const SharedFeatures& shared,
                 const FragmentSample& fragment, const LossOptions& options, const Execution& execution) {
  const auto logits = head(batch, shared.encoded, shared.level1, fragment.input.dense, execution);
  const Tensor first = fracture_loss(logits.first, fragment.fracture, options.fracture_positive);
  if (!head.second) return first;
  return first + fracture_loss(logits.last, fragment.fracture, options.fracture_positive);
}

/// Where matchers look at both fragments: one graph for all of the pair.
PairGradient together_gradient(const PmtrNetwork& network, const PairSample& pair, const LossOptions& options,
                               const Tensors& parameters, Threads& threads) {
  const Execution execution{&threads};
  const bool on_breaks = network.options().break_cloud;
  const bool matching = (options.coarse != 0.0 || options.fine != 0.0 || options.points != 0.0) &&
                        !(on_breaks && (pair.source.match.empty() || pair.target.match.empty()));
  PairGradient result{Tensors(parameters.size())};
  Tensor total = torch::zeros({});
  std::array<Unmatched, 2> sides;
  for (std::size_t i = 0; i < 2; ++i) {
    const FragmentSample& fragment = i == 0 ? pair.source : pair.target;
    const FractureHead* head = network.fracture_head();
    const bool breaks = options.fracture != 0.0 && !fragment.fracture.empty();
    Tensor fracture;
    if (on_breaks) {
      if (matching) sides[i] = network.begin(fragment.match, i == 0 ? Role::source : Role::target, execution);
    } else {
      sides[i] = network.begin(fragment.input.pyramid, execution);
      if (head != nullptr && breaks)
        fracture = head_loss(*head, sides[i].batch, sides[i].shared, fragment, options, execution);
    }
    if (breaks && network.break_network() != nullptr)
      fracture = break_loss((*network.break_network())(fragment.input.breaks, execution), fragment.fracture);
    if (!fracture.defined()) continue;
    result.fracture += 0.5 * fracture.item<double>();
    total = total + 0.5 * options.fracture * fracture;
  }
  if (matching) {
    const auto output = network.finish_pair(sides[0], sides[1], execution);
    const MatchLoss loss = match_loss({output[0].coarse_normalised, output[1].coarse_normalised,
                                       output[0].decoded.fine, output[1].decoded.fine},
                                      network, pair.truth, options, threads);
    result.coarse = loss.coarse.item<double>();
    result.fine = loss.fine.item<double>();
    result.points = loss.points.item<double>();
    total = total + weighted(loss, options);
  }
  if (total.requires_grad()) result.gradients = gradients_of({total}, parameters, {});
  return result;
}

PairGradient pair_scope_gradient(const PmtrNetwork& network, const PairSample& pair,
                                 const LossOptions& options, const Tensors& parameters, Threads& threads) {
  const PyramidBatch batch =
      stack_pyramids(std::array{&pair.source.input.pyramid, &pair.target.input.pyramid});
  const NetworkOutput output = network.forward(batch, {Role::source, Role::target}, Execution{&threads});
  const auto part = [&](const Tensor& stacked, std::size_t level, std::size_t fragment) {
    const FragmentRows rows = FragmentRows::of(batch.levels[level], fragment);
    return stacked.narrow(0, rows.begin, rows.count);
  };
  const PairFeatures features{part(output.coarse_normalised, 2, 0), part(output.coarse_normalised, 2, 1),
                              part(output.decoded.fine, 0, 0), part(output.decoded.fine, 0, 1)};
  const MatchLoss loss = match_loss(features, network, pair.truth, options, threads);
  const Tensor total = weighted(loss, options);
  PairGradient result{Tensors(parameters.size()), loss.coarse.item<double>(), loss.fine.item<double>(), 0.0,
                      0.0};
  if (total.requires_grad()) result.gradients = gradients_of({total}, parameters, {});
  return result;
}

PairGradient fragment_scope_gradient(const PmtrNetwork& network, const PairSample& pair,
                                     const LossOptions& options, const Tensors& parameters,
                                     Threads& threads) {
  const FractureHead* head = network.fracture_head();
  const bool on_breaks = network.options().break_cloud;
  // Without breaks on both sides there is nothing to match.
  const bool matching = (options.coarse != 0.0 || options.fine != 0.0 || options.points != 0.0) &&
                        !(on_breaks && (pair.source.match.empty() || pair.target.match.empty()));
  std::array<FragmentOutput, 2> outputs;
  run_tasks(threads, 2, [&](std::int64_t i) {
    const FragmentSample& fragment = i == 0 ? pair.source : pair.target;
    const Execution execution{&threads};
    FragmentOutput& out = outputs[static_cast<std::size_t>(i)];
    const bool breaks = options.fracture != 0.0 && !fragment.fracture.empty();
    if (breaks && network.break_network() != nullptr)
      out.fracture =
          break_loss((*network.break_network())(fragment.input.breaks, execution), fragment.fracture);
    if (!matching && head == nullptr) return;
    if (on_breaks) {
      const NetworkOutput output =
          network.forward(fragment.match, i == 0 ? Role::source : Role::target, execution);
      out.superpoints = output.coarse_normalised;
      out.points = output.decoded.fine;
      return;
    }
    const PyramidBatch batch = stack_pyramids(std::array{&fragment.input.pyramid});
    const SharedFeatures shared = network.encode(batch, execution);
    if (matching) {
      const NetworkOutput output =
          network.forward(batch, shared, {i == 0 ? Role::source : Role::target}, execution);
      out.superpoints = output.coarse_normalised;
      out.points = output.decoded.fine;
    }
    if (head != nullptr && breaks)
      out.fracture = head_loss(*head, batch, shared, fragment, options, execution);
  });
  PairGradient result{Tensors(parameters.size())};
  Tensors direct(4 + parameters.size());
  if (matching) {
    const CutOff source(outputs[0]);
    const CutOff target(outputs[1]);
    const MatchLoss loss = match_loss({source.superpoints, target.superpoints, source.points, target.points},
                                      network, pair.truth, options, threads);
    result.coarse = loss.coarse.item<double>();
    result.fine = loss.fine.item<double>();
    result.points = loss.points.item<double>();
    const Tensor total = weighted(loss, options);
    if (total.requires_grad()) {
      Tensors inputs{source.superpoints, source.points, target.superpoints, target.points};
      inputs.insert(inputs.end(), parameters.begin(), parameters.end());
      direct = gradients_of({total}, inputs, {});
    }
  }
  for (const FragmentOutput& output : outputs) {
    if (output.fracture.defined()) result.fracture += 0.5 * output.fracture.item<double>();
  }

  std::array<Tensors, 2> parts;
  run_tasks(threads, 2, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    Tensors ends;
    Tensors end_gradients;
    const auto add = [&](const Tensor& end, const Tensor& gradient) {
      if (!gradient.defined()) return;
      ends.push_back(end);
      end_gradients.push_back(gradient);
    };
    add(outputs[at].superpoints, direct[2 * at]);
    add(outputs[at].points, direct[2 * at + 1]);
    // The loss of a pair is the mean of its fragments'.
    if (outputs[at].fracture.defined()) add(outputs[at].fracture, torch::full({}, 0.5 * options.fracture));
    outputs[at] = {};
    parts[at] = ends.empty() ? Tensors(parameters.size()) : gradients_of(ends, parameters, end_gradients);
  });
  add_to(result.gradients, {direct.begin() + 4, direct.end()});
  for (const Tensors& part : parts) add_to(result.gradients, part);
  return result;
}

}  // namespace

BatchGradient batch_gradient(const PmtrNetwork& network, std::span<const PairSample> pairs,
                             const LossOptions& options, Threads& threads) {
  PMTR_CHECK(!pairs.empty(), "a batch needs a pair");
  const Tensors parameters = network.parameters().learnt();
  std::vector<PairGradient> parts(pairs.size());
  run_tasks(threads, static_cast<std::int64_t>(pairs.size()), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    const auto gradient = network.options().norm_scope == NormScope::pair ? pair_scope_gradient
                          : network.encodes_alone()                       ? fragment_scope_gradient
                                                                          : together_gradient;
    parts[at] = gradient(network, pairs[at], options, parameters, threads);
  });

  BatchGradient batch;
  batch.gradients.resize(parameters.size());
  for (PairGradient& part : parts) {
    add_to(batch.gradients, part.gradients);
    part.gradients.clear();
    batch.losses.coarse += part.coarse / static_cast<double>(pairs.size());
    batch.losses.fine += part.fine / static_cast<double>(pairs.size());
    batch.losses.points += part.points / static_cast<double>(pairs.size());
    batch.losses.fracture += part.fracture / static_cast<double>(pairs.size());
  }
  if (pairs.size() > 1) {
    for (Tensor& gradient : batch.gradients) {
      if (gradient.defined()) gradient.div_(static_cast<double>(pairs.size()));
    }
  }
  const ProxyLoss proxies = proxy_loss(network);
  batch.losses.orthonormal = proxies.orthonormal.item<double>();
  batch.losses.zero = proxies.zero.item<double>();
  if (options.orthonormal != 0.0 || options.zero != 0.0) {
    const Tensor total = options.orthonormal * proxies.orthonormal + options.zero * proxies.zero;
    if (total.requires_grad()) add_to(batch.gradients, gradients_of({total}, parameters, {}));
  }
  batch.losses.total = options.coarse * batch.losses.coarse + options.fine * batch.losses.fine +
                       options.points * batch.losses.points + options.fracture * batch.losses.fracture +
                       options.orthonormal * batch.losses.orthonormal + options.zero * batch.losses.zero;
  return batch;
}

}  // namespace pmtr
