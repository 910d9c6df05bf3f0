// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/pmtr_network.h"

#include "pmtr/core/check.h"
#include "pmtr/network/ops.h"
#include "pmtr/network/proxy_match_transform.h"

namespace pmtr {

PmtrNetwork::PmtrNetwork(const NetworkOptions& options, std::uint64_t seed)
    : options_(options), parameters_(std::make_unique<Parameters>()) {
  Random random(seed);
  const ParameterScope scope(*parameters_, random);
  backbone_ = std::make_unique<Backbone>(scope / "backbone", options);
  dustbin_score_ = (scope / "optimal_transport").constant("alpha", {}, 1.0);
  coarse_matcher_ = std::make_unique<ProxyMatchTransform>(scope / "coarse_matcher", 512,
                                                          ProxyMatchTransform::Level::coarse);
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
    parts.push_back(
        coarse_matcher_->transform(features.narrow(0, rows.begin, rows.count), site, roles[i], execution));
  }
  return parts.size() == 1 ? parts[0] : torch::cat(parts, 0);
}

NetworkOutput PmtrNetwork::forward(const PyramidBatch& batch, const std::vector<Role>& roles,
                                   const Execution& execution) const {
  return forward(batch, backbone_->encode(batch, execution), roles, execution);
}

NetworkOutput PmtrNetwork::forward(const PyramidBatch& batch, const EncoderFeatures& encoded,
                                   const std::vector<Role>& roles, const Execution& execution) const {
  NetworkOutput out;
  out.encoded = encoded;
  out.decoded = backbone_->decode(batch, encoded, roles, execution);
  out.coarse = match_coarse(batch.levels[2], encoded[2], roles, execution);
  out.coarse_normalised = ops::l2_normalise(out.coarse, execution);
  return out;
}

}  // namespace pmtr
