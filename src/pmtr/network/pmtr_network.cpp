// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/pmtr_network.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/network/make_matcher.h"
#include "pmtr/network/ops.h"

namespace pmtr {
namespace {

/// Minus the mean over the fragment.
torch::Tensor centred(const torch::Tensor& features, const BatchLevel& level) {
  std::vector<torch::Tensor> parts;
  for (std::size_t i = 0; i < level.lengths.size(); ++i) {
    const FragmentRows rows = FragmentRows::of(level, i);
    const torch::Tensor own = features.narrow(0, rows.begin, rows.count);
    parts.push_back(own - own.mean(0, true));
  }
  return parts.size() == 1 ? parts[0] : torch::cat(parts, 0);
}

/// Every channel with mean 0 and spread 1 over the fragment: features cannot all become equal.
torch::Tensor standardised(const torch::Tensor& features) {
  const torch::Tensor mean = features.mean(0, true);
  const torch::Tensor variance = (features - mean).square().mean(0, true);
  return (features - mean) / torch::sqrt(variance + 1e-4);
}

/// The mean of the points' features over each superpoint's patch. A superpoint without points has zeros.
torch::Tensor patch_means(const torch::Tensor& features, const PyramidBatch& batch) {
  const std::int64_t patches = batch.levels[2].points.size(0);
  const torch::Tensor to_middle = batch.levels[0].up.to(torch::kLong);
  const torch::Tensor patch = batch.levels[1].up.to(torch::kLong).index_select(0, to_middle);
  const torch::Tensor sums =
      torch::zeros({patches, features.size(1)}, features.options()).index_add(0, patch, features);
  const torch::Tensor counts = torch::zeros({patches}, features.options())
                                   .index_add(0, patch, torch::ones({patch.size(0)}, features.options()));
  return sums / counts.clamp_min(1.0).unsqueeze(1);
}

/// Matching divides products by the root of the width; with this length a score is eight times the cosine.
double fine_length(std::int64_t width) { return std::sqrt(8.0 * std::sqrt(static_cast<double>(width))); }

}  // namespace

PmtrNetwork::PmtrNetwork(const NetworkOptions& options, std::uint64_t seed)
    : options_(options), parameters_(std::make_unique<Parameters>()) {
  Random random(seed);
  const ParameterScope scope(*parameters_, random);
  backbone_ = std::make_unique<Backbone>(scope / "backbone", options);
  dustbin_score_ = (scope / "optimal_transport").constant("alpha", {}, 1.0);
  coarse_matcher_ = make_coarse_matcher(scope / "coarse_matcher", options);
  if (options.fracture_head)
    fracture_head_ = std::make_unique<FractureHead>(scope / "fracture_head", options.fracture_context);
  if (options.break_network) break_network_ = std::make_unique<BreakNetwork>(scope / "breaks");
  if (options.break_cloud) break_embedding_ = std::make_unique<BreakEmbedding>(scope / "embedding");
}

Result<PmtrNetwork> PmtrNetwork::create(const NetworkOptions& options, std::uint64_t seed) {
  PMTR_TRY_STATUS(options.validate());
  return PmtrNetwork(options, seed);
}

Result<PmtrNetwork> PmtrNetwork::load(const WeightFile& file, const std::string& name) {
  if (const auto it = file.metadata.find(system_key); it != file.metadata.end())
    return Error{Cause::mismatch,
                 fmt::format("weights of the system '{}', not of pmtr's own network: give --system {}",
                             it->second, it->second),
                 {name, {}, {}}};
  NetworkOptions options = NetworkOptions::reference();
  if (const auto it = file.metadata.find("pmtr"); it != file.metadata.end()) {
    PMTR_TRY(options, network_options_from_json(it->second, name));
  }
  PmtrNetwork network(options, 0);
  PMTR_TRY_STATUS(network.parameters_->load(file, name));
  return network;
}

WeightFile PmtrNetwork::save() const {
  WeightFile file;
  file.metadata["pmtr"] = to_json(options_);
  parameters_->save(file);
  return file;
}

torch::Tensor PmtrNetwork::match_coarse(const BatchLevel& level, const torch::Tensor& features,
                                        const std::vector<Role>& roles, const Execution& execution) const {
  const auto site = [&](std::size_t i) {
    return coarse_match_site(level, i, options_.coarse_attention_radius, options_.distances_by_product);
  };
  return apply_matcher(coarse_matcher_, level, features, roles, site, options_.matcher_residual, execution);
}

SharedFeatures PmtrNetwork::encode(const PyramidBatch& batch, const Execution& execution) const {
  SharedFeatures shared;
  shared.encoded = backbone_->encode(batch, execution);
  shared.level1 = backbone_->decode_shared(batch, shared.encoded, execution);
  return shared;
}

NetworkOutput PmtrNetwork::forward(const PyramidBatch& batch, const std::vector<Role>& roles,
                                   const Execution& execution) const {
  return forward(batch, encode(batch, execution), roles, execution);
}

NetworkOutput PmtrNetwork::forward(const PyramidBatch& batch, const SharedFeatures& shared,
                                   const std::vector<Role>& roles, const Execution& execution) const {
  NetworkOutput out;
  out.encoded = shared.encoded;
  out.decoded = backbone_->decode(batch, shared.encoded, shared.level1, roles, execution);
  out.coarse = match_coarse(batch.levels[2], shared.encoded[2], roles, execution);
  normalise(out, batch, {}, execution);
  return out;
}

NetworkOutput PmtrNetwork::forward(const MatchInput& input, Role role, const Execution& execution) const {
  return finish(begin(input, role, execution), role, execution);
}

bool PmtrNetwork::encodes_alone() const {
  return options_.norm_scope == NormScope::fragment && !needs_both_sides(coarse_matcher_) &&
         !needs_both_sides(backbone_->matchers[0]) && !needs_both_sides(backbone_->matchers[1]);
}

Unmatched PmtrNetwork::begin(const Pyramid& pyramid, const Execution& execution) const {
  Unmatched fragment;
  fragment.batch = stack_pyramids(std::array{&pyramid});
  fragment.shared = encode(fragment.batch, execution);
  return fragment;
}

Unmatched PmtrNetwork::begin(const MatchInput& input, Role role, const Execution& execution) const {
  PMTR_CHECK(break_embedding_ != nullptr && !input.empty(), "a network on breaks, and breaks");
  Unmatched fragment;
  fragment.batch = stack_pyramids(std::array{&input.pyramid});
  fragment.described =
      (*break_embedding_)(role == Role::source ? input.as_source : input.as_target, execution);
  fragment.batch.inputs = fragment.described;
  fragment.shared = encode(fragment.batch, execution);
  return fragment;
}

NetworkOutput PmtrNetwork::finish(const Unmatched& fragment, Role role, const Execution& execution) const {
  NetworkOutput out;
  out.encoded = fragment.shared.encoded;
  out.decoded = backbone_->decode(fragment.batch, out.encoded, fragment.shared.level1, {role}, execution);
  out.coarse = match_coarse(fragment.batch.levels[2], out.encoded[2], {role}, execution);
  normalise(out, fragment.batch, fragment.described, execution);
  return out;
}

std::array<NetworkOutput, 2> PmtrNetwork::finish_pair(const Unmatched& source, const Unmatched& target,
                                                      const Execution& execution) const {
  if (encodes_alone())
    return {finish(source, Role::source, execution), finish(target, Role::target, execution)};
  const auto side = [&](const Unmatched& fragment, Role role) {
    const BatchLevel& level = fragment.batch.levels[2];
    return MatchSide{
        fragment.shared.encoded[2],
        coarse_match_site(level, 0, options_.coarse_attention_radius, options_.distances_by_product), role};
  };
  const std::vector<torch::Tensor> coarse =
      apply_matcher(coarse_matcher_, std::array{side(source, Role::source), side(target, Role::target)},
                    options_.matcher_residual, execution);
  std::array<DecoderFeatures, 2> decoded =
      backbone_->decode_pair({source.batch, source.shared.encoded, source.shared.level1},
                             {target.batch, target.shared.encoded, target.shared.level1}, execution);
  std::array<NetworkOutput, 2> outputs;
  for (std::size_t i = 0; i < 2; ++i) {
    const Unmatched& fragment = i == 0 ? source : target;
    outputs[i].encoded = fragment.shared.encoded;
    outputs[i].decoded = std::move(decoded[i]);
    outputs[i].coarse = coarse[i];
    normalise(outputs[i], fragment.batch, fragment.described, execution);
  }
  return outputs;
}

void PmtrNetwork::normalise(NetworkOutput& out, const PyramidBatch& batch, const torch::Tensor& described,
                            const Execution& execution) const {
  if (described.defined()) {
    const BreakEmbedding& embedding = *break_embedding_;
    const auto joined = [&](const Linear& path, const torch::Tensor& from, const torch::Tensor& share,
                            const torch::Tensor& added) {
      const torch::Tensor own = ops::l2_normalise(standardised(path(from, execution)), execution);
      const torch::Tensor more = ops::l2_normalise(standardised(added), execution);
      return ops::l2_normalise(standardised(own + share * more), execution);
    };
    out.coarse_normalised =
        joined(embedding.to_coarse, patch_means(described, batch), embedding.coarse_share, out.coarse);
    out.decoded.fine = fine_length(out.decoded.fine.size(1)) *
                       joined(embedding.to_fine, described, embedding.fine_share, out.decoded.fine);
    return;
  }
  if (!options_.centred_features) {
    out.coarse_normalised = ops::l2_normalise(out.coarse, execution);
    return;
  }
  out.coarse_normalised = ops::l2_normalise(centred(out.coarse, batch.levels[2]), execution);
  out.decoded.fine = fine_length(out.decoded.fine.size(1)) *
                     ops::l2_normalise(centred(out.decoded.fine, batch.levels[0]), execution);
}

double PmtrNetwork::matcher_memory(const LevelSizes& source, const LevelSizes& target, bool training) const {
  double kept = 0.0, peak = 0.0;
  const std::array<const Matcher*, 3> by_level{&backbone_->matchers[1], &backbone_->matchers[0],
                                               &coarse_matcher_};
  for (std::size_t level = 0; level < by_level.size(); ++level) {
    const auto* matcher = std::get_if<std::unique_ptr<PairMatcher>>(by_level[level]);
    if (matcher == nullptr) continue;
    const double own = (*matcher)->memory(source[level], target[level], training);
    kept += own;
    peak = std::max(peak, own);
  }
  return training ? kept : peak;
}

LevelSizes level_sizes(const Pyramid& pyramid) {
  LevelSizes sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = static_cast<std::int64_t>(pyramid.levels[i].points.size());
  return sizes;
}

}  // namespace pmtr
