// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/pmtr_network.h"

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
  // Matching divides products by the root of the width; with this length a score is eight times the cosine.
  const double length = std::sqrt(8.0 * std::sqrt(static_cast<double>(out.decoded.fine.size(1))));
  out.decoded.fine = length * ops::l2_normalise(centred(out.decoded.fine, batch.levels[0]), execution);
  return out;
}

}  // namespace pmtr
