// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/fragment_encoder.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <tuple>

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/core/threads.h"
#include "pmtr/network/feature_tensor.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/network/proxy_match_transform.h"

namespace pmtr {
namespace {

FragmentFeatures geometry_of(const Pyramid& pyramid, Threads& threads) {
  FragmentFeatures features;
  features.points = pyramid.levels[0].points;
  features.superpoints = pyramid.levels[2].points;
  features.patches = partition_points(features.points, features.superpoints, threads);
  return features;
}

/// The features of one fragment of a batch.
RoleFeatures role_features(const NetworkOutput& output, const PyramidBatch& batch, std::size_t fragment) {
  const FragmentRows superpoints = FragmentRows::of(batch.levels[2], fragment);
  const FragmentRows points = FragmentRows::of(batch.levels[0], fragment);
  return {to_matrix(output.coarse_normalised.narrow(0, superpoints.begin, superpoints.count)),
          to_matrix(output.decoded.fine.narrow(0, points.begin, points.count))};
}

std::vector<float> probabilities(const torch::Tensor& logits) {
  const torch::Tensor probability = torch::sigmoid(logits).contiguous();
  return {probability.data_ptr<float>(), probability.data_ptr<float>() + probability.numel()};
}

/// In either role; on surfaces both are the same.
struct UnmatchedRoles : UnmatchedFragment {
  std::shared_ptr<const Unmatched> as_source;
  std::shared_ptr<const Unmatched> as_target;
  LevelSizes sizes{};
};

const UnmatchedRoles& unmatched_of(const FragmentFeatures& features) {
  const auto* roles = dynamic_cast<const UnmatchedRoles*>(features.unmatched.get());
  PMTR_CHECK(roles != nullptr, "features that were not encoded for this");
  return *roles;
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

bool FragmentEncoder::encodes_alone() const { return network_->encodes_alone(); }

std::pair<RoleFeatures, RoleFeatures> FragmentEncoder::match(const FragmentFeatures& source,
                                                             const FragmentFeatures& target,
                                                             Threads& threads) const {
  if (encodes_alone()) return {source.as_source, target.as_target};
  const torch::NoGradGuard no_grad;
  const Unmatched& a = *unmatched_of(source).as_source;
  const Unmatched& b = *unmatched_of(target).as_target;
  const auto outputs = network_->finish_pair(a, b, Execution{&threads});
  return {role_features(outputs[0], a.batch, 0), role_features(outputs[1], b.batch, 0)};
}

double FragmentEncoder::match_memory(const FragmentFeatures& source, const FragmentFeatures& target) const {
  if (encodes_alone() || !source.unmatched || !target.unmatched) return 0.0;
  return network_->matcher_memory(unmatched_of(source).sizes, unmatched_of(target).sizes, false);
}

FragmentFeatures FragmentEncoder::encode(const Pyramid& fragment, Threads& threads) const {
  return encode(FragmentInput{fragment, {}, {}, {}, {}}, threads);
}

std::vector<float> FragmentEncoder::see_breaks(const BreakInput& breaks, Threads& threads) const {
  if (network_->break_network() == nullptr || breaks.empty()) return {};
  const torch::NoGradGuard no_grad;
  return probabilities((*network_->break_network())(breaks, Execution{&threads}));
}

FragmentFeatures FragmentEncoder::encode(const FragmentInput& fragment, Threads& threads) const {
  PMTR_CHECK(options().norm_scope == NormScope::fragment,
             "a fragment alone can only be encoded in fragment scope");
  if (options().break_cloud) return encode_breaks(fragment, threads);
  const torch::NoGradGuard no_grad;
  const Execution execution{&threads};
  const auto unmatched = std::make_shared<const Unmatched>(network_->begin(fragment.pyramid, execution));
  const PyramidBatch& batch = unmatched->batch;
  const SharedFeatures& shared = unmatched->shared;
  FragmentFeatures features = geometry_of(fragment.pyramid, threads);
  if (encodes_alone()) {
    features.as_source = role_features(network_->finish(*unmatched, Role::source, execution), batch, 0);
    features.as_target = role_features(network_->finish(*unmatched, Role::target, execution), batch, 0);
  } else {
    auto roles = std::make_shared<UnmatchedRoles>();
    roles->as_source = roles->as_target = unmatched;
    roles->sizes = level_sizes(fragment.pyramid);
    features.unmatched = std::move(roles);
  }
  const FractureHead* head = network_->fracture_head();
  if (head != nullptr && !fragment.dense.nearest.empty()) {
    features.fracture =
        probabilities((*head)(batch, shared.encoded, shared.level1, fragment.dense, execution).last);
  } else {
    features.fracture = see_breaks(fragment.breaks, threads);
  }
  if (!fragment.known_fracture.empty()) features.fracture = fragment.known_fracture;
  return features;
}

FragmentFeatures FragmentEncoder::encode_breaks(const FragmentInput& fragment, Threads& threads) const {
  const torch::NoGradGuard no_grad;
  const Execution execution{&threads};
  std::vector<float> fracture =
      fragment.known_fracture.empty() ? see_breaks(fragment.breaks, threads) : fragment.known_fracture;
  auto input = find_match_input(fragment.surface, fracture, options(), threads);
  PMTR_CHECK(input.ok(), "break points of a checked cloud are finite");
  FragmentFeatures features;
  if (!input->empty()) {
    features = geometry_of(input->pyramid, threads);
    const PyramidBatch batch = batch_of(input->pyramid);
    if (encodes_alone()) {
      features.as_source = role_features(network_->forward(*input, Role::source, execution), batch, 0);
      features.as_target = role_features(network_->forward(*input, Role::target, execution), batch, 0);
    } else {
      auto roles = std::make_shared<UnmatchedRoles>();
      roles->as_source = std::make_shared<Unmatched>(network_->begin(*input, Role::source, execution));
      roles->as_target = std::make_shared<Unmatched>(network_->begin(*input, Role::target, execution));
      roles->sizes = level_sizes(input->pyramid);
      features.unmatched = std::move(roles);
    }
  }
  features.breaks = std::move(input->cloud);
  features.fracture = std::move(fracture);
  return features;
}

namespace {

/// The exponential of the entropy is the number of neighbours that as even a look would be at.
std::vector<double> evenness_of(const std::vector<torch::Tensor>& attention, const MatchSite& site) {
  const torch::Tensor neighbours = (site.table < site.table.size(0)).sum(1, true);  // [n, 1]
  std::vector<double> evenness;
  for (const torch::Tensor& weights : attention) {
    const torch::Tensor looked_at = (-(weights * weights.clamp_min(1e-12).log()).sum(1)).exp();  // [n, heads]
    const torch::Tensor shares = (looked_at / neighbours).mean(0);
    for (std::int64_t head = 0; head < shares.size(0); ++head)
      evenness.push_back(shares[head].item<double>());
  }
  return evenness;
}

}  // namespace

ProxySpace FragmentEncoder::proxy_space(const FragmentInput& fragment, Role role, Threads& threads) const {
  const torch::NoGradGuard no_grad;
  const Execution execution{&threads};
  Unmatched unmatched;
  if (options().break_cloud) {
    const auto input = find_match_input(
        fragment.surface,
        fragment.known_fracture.empty() ? see_breaks(fragment.breaks, threads) : fragment.known_fracture,
        options(), threads);
    PMTR_CHECK(input.ok() && !input->empty(), "breaks to look at");
    unmatched = network_->begin(*input, role, execution);
  } else {
    unmatched = network_->begin(fragment.pyramid, execution);
  }
  const torch::Tensor& features = unmatched.shared.encoded[2];
  const auto* alone = std::get_if<std::unique_ptr<FragmentMatcher>>(&network_->coarse_matcher());
  const auto* transform = alone == nullptr ? nullptr : dynamic_cast<const ProxyMatchTransform*>(alone->get());
  if (transform == nullptr) return {to_matrix(features), {}, {}};
  const MatchSite site = coarse_match_site(unmatched.batch.levels[2], 0, options().coarse_attention_radius,
                                           options().distances_by_product);
  const torch::Tensor last = transform->layer_outputs(features, site, role, execution).back();
  const torch::Tensor& proxies = transform->layers().back().proxies[role];  // [heads, factors, wide]
  // [superpoints, wide, channels]: a vector per channel, of which the direction counts.
  const torch::Tensor vectors = last.view({last.size(0), proxies.size(2), -1}).transpose(1, 2);
  const torch::Tensor unit = vectors / vectors.norm(2, 2, true).clamp_min(1e-12);
  return {to_matrix(unit.mean(1)), to_matrix(proxies.reshape({-1, proxies.size(2)})),
          evenness_of(transform->attention(site, role), site)};
}

std::vector<FragmentFeatures> FragmentEncoder::encode_all(std::span<const FragmentInput> fragments,
                                                          Threads& threads, const Listener& listener) const {
  // The largest first, so that no thread begins one when the others are about to end.
  std::vector<std::size_t> order(fragments.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto size = [](const FragmentInput& f) {
      return std::max(f.pyramid.levels[0].points.size(), f.surface.points.size());
    };
    return size(fragments[a]) > size(fragments[b]);
  });
  std::vector<FragmentFeatures> features(fragments.size());
  std::mutex mutex;
  int done = 0;
  run_tasks(threads, static_cast<std::int64_t>(order.size()), [&](std::int64_t i) {
    if (listener.stop()) return;
    const std::size_t fragment = order[static_cast<std::size_t>(i)];
    features[fragment] = encode(fragments[fragment], threads);
    const std::lock_guard lock(mutex);
    listener.advance("encode", ++done, static_cast<int>(order.size()));
  });
  return features;
}

std::pair<FragmentFeatures, FragmentFeatures> FragmentEncoder::encode_pair(const Pyramid& source,
                                                                           const Pyramid& target,
                                                                           Threads& threads) const {
  std::pair<FragmentFeatures, FragmentFeatures> features;
  if (options().norm_scope == NormScope::pair) {
    const torch::NoGradGuard no_grad;
    features = {geometry_of(source, threads), geometry_of(target, threads)};
    const PyramidBatch batch = stack_pyramids(std::array{&source, &target});
    const NetworkOutput output = network_->forward(batch, {Role::source, Role::target}, Execution{&threads});
    features.first.as_source = role_features(output, batch, 0);
    features.second.as_target = role_features(output, batch, 1);
    return features;
  }
  if (!encodes_alone()) {
    features = {encode(source, threads), encode(target, threads)};
    std::tie(features.first.as_source, features.second.as_target) =
        match(features.first, features.second, threads);
    return features;
  }
  run_tasks(threads, 2, [&](std::int64_t i) {
    const torch::NoGradGuard no_grad;  // of this thread only
    const bool first = i == 0;
    const Pyramid& pyramid = first ? source : target;
    const PyramidBatch batch = batch_of(pyramid);
    const Role role = first ? Role::source : Role::target;
    FragmentFeatures& out = first ? features.first : features.second;
    out = geometry_of(pyramid, threads);
    (first ? out.as_source : out.as_target) =
        role_features(network_->forward(batch, {role}, Execution{&threads}), batch, 0);
  });
  return features;
}

}  // namespace pmtr
