// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/fragment_encoder.h"

#include <array>
#include <cstring>
#include <vector>

#include "pmtr/core/check.h"
#include "pmtr/network/pmtr_network.h"

namespace pmtr {
namespace {

FeatureMatrix to_matrix(const torch::Tensor& tensor) {
  const torch::Tensor host = tensor.detach().to(torch::kCPU, torch::kFloat).contiguous();
  FeatureMatrix matrix;
  matrix.rows = host.size(0);
  matrix.columns = host.size(1);
  const float* begin = host.data_ptr<float>();
  matrix.values.assign(begin, begin + host.numel());
  return matrix;
}

FragmentFeatures geometry_of(const Pyramid& pyramid, Threads& threads) {
  FragmentFeatures features;
  features.points = pyramid.levels[0].points;
  features.nodes = pyramid.levels[2].points;
  features.patches = partition_points(features.points, features.nodes, threads);
  return features;
}

/// The features of one fragment of a batch.
RoleFeatures role_features(const NetworkOutput& output, const PyramidBatch& batch, std::size_t fragment) {
  const FragmentRows nodes = FragmentRows::of(batch.levels[2], fragment);
  const FragmentRows points = FragmentRows::of(batch.levels[0], fragment);
  return {to_matrix(output.coarse_normalised.narrow(0, nodes.begin, nodes.count)),
          to_matrix(output.decoded.fine.narrow(0, points.begin, points.count))};
}

PyramidBatch batch_of(const Pyramid& pyramid) { return stack_pyramids(std::array{&pyramid}); }

}  // namespace

FragmentEncoder::FragmentEncoder(std::unique_ptr<PmtrNetwork> network) : network_(std::move(network)) {}
FragmentEncoder::FragmentEncoder(FragmentEncoder&&) noexcept = default;
FragmentEncoder& FragmentEncoder::operator=(FragmentEncoder&&) noexcept = default;
FragmentEncoder::~FragmentEncoder() = default;

Result<FragmentEncoder> FragmentEncoder::load(const WeightFile& weights, const std::string& name) {
  PMTR_TRY(PmtrNetwork network, PmtrNetwork::load(weights, name));
  return FragmentEncoder(std::make_unique<PmtrNetwork>(std::move(network)));
}

Result<FragmentEncoder> FragmentEncoder::untrained(const NetworkOptions& options, std::uint64_t seed) {
  PMTR_TRY(PmtrNetwork network, PmtrNetwork::create(options, seed));
  return FragmentEncoder(std::make_unique<PmtrNetwork>(std::move(network)));
}

const NetworkOptions& FragmentEncoder::options() const { return network_->options(); }

float FragmentEncoder::dustbin_score() const { return network_->dustbin_score().item<float>(); }

FragmentFeatures FragmentEncoder::encode(const Pyramid& fragment, Threads& threads) const {
  PMTR_CHECK(options().norm_scope == NormScope::fragment,
             "a fragment alone can only be encoded in fragment scope");
  const torch::NoGradGuard no_grad;
  const Execution execution{&threads};
  const PyramidBatch batch = batch_of(fragment);
  const EncoderFeatures encoded = network_->backbone().encode(batch, execution);
  FragmentFeatures features = geometry_of(fragment, threads);
  features.as_source = role_features(network_->forward(batch, encoded, {Role::source}, execution), batch, 0);
  features.as_target = role_features(network_->forward(batch, encoded, {Role::target}, execution), batch, 0);
  return features;
}

std::pair<FragmentFeatures, FragmentFeatures> FragmentEncoder::encode_pair(const Pyramid& source,
                                                                           const Pyramid& target,
                                                                           Threads& threads) const {
  const torch::NoGradGuard no_grad;
  const Execution execution{&threads};
  std::pair<FragmentFeatures, FragmentFeatures> features{geometry_of(source, threads),
                                                         geometry_of(target, threads)};
  if (options().norm_scope == NormScope::pair) {
    const PyramidBatch batch = stack_pyramids(std::array{&source, &target});
    const NetworkOutput output = network_->forward(batch, {Role::source, Role::target}, execution);
    features.first.as_source = role_features(output, batch, 0);
    features.second.as_target = role_features(output, batch, 1);
  } else {
    const PyramidBatch a = batch_of(source);
    const PyramidBatch b = batch_of(target);
    features.first.as_source = role_features(network_->forward(a, {Role::source}, execution), a, 0);
    features.second.as_target = role_features(network_->forward(b, {Role::target}, execution), b, 0);
  }
  return features;
}

}  // namespace pmtr
