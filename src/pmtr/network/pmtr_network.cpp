// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/pmtr_network.h"

#include <array>
#include <cmath>

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/network/ops.h"
#include "pmtr/network/proxy_match_transform.h"

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
  coarse_matcher_ = std::make_unique<ProxyMatchTransform>(
      scope / "coarse_matcher", 512, ProxyMatchTransform::Level::coarse, options.proxies);
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
  PMTR_CHECK(roles.size() == level.lengths.size(), "one role per fragment");
  std::vector<torch::Tensor> parts;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const FragmentRows rows = FragmentRows::of(level, i);
    const MatchSite site =
        coarse_match_site(level, i, options_.coarse_attention_radius, options_.distances_by_product);
    const torch::Tensor own = features.narrow(0, rows.begin, rows.count);
    const torch::Tensor matched = coarse_matcher_->transform(own, site, roles[i], execution);
    parts.push_back(options_.matcher_residual ? own + matched : matched);
  }
  return parts.size() == 1 ? parts[0] : torch::cat(parts, 0);
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
  if (!options_.centred_features) {
    out.coarse_normalised = ops::l2_normalise(out.coarse, execution);
    return out;
  }
  out.coarse_normalised = ops::l2_normalise(centred(out.coarse, batch.levels[2]), execution);
  out.decoded.fine = fine_length(out.decoded.fine.size(1)) *
                     ops::l2_normalise(centred(out.decoded.fine, batch.levels[0]), execution);
  return out;
}

NetworkOutput PmtrNetwork::forward(const MatchInput& input, Role role, const Execution& execution) const {
  PMTR_CHECK(break_embedding_ != nullptr && !input.empty(), "a network on breaks, and breaks");
  const BreakEmbedding& embedding = *break_embedding_;
  PyramidBatch batch = stack_pyramids(std::array{&input.pyramid});
  const torch::Tensor described =
      embedding(role == Role::source ? input.as_source : input.as_target, execution);
  batch.inputs = described;
  NetworkOutput out;
  out.encoded = backbone_->encode(batch, execution);
  out.decoded = backbone_->decode(batch, out.encoded, {role}, execution);
  out.coarse = match_coarse(batch.levels[2], out.encoded[2], {role}, execution);
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
  return out;
}

}  // namespace pmtr
