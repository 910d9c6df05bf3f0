// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/geotransformer.h"

#include <utility>

#include <fmt/format.h>

namespace pmtr {

TrainConfig geotransformer_config() {
  TrainConfig config;
  NetworkOptions& network = config.network;
  network = NetworkOptions::plain();
  network.coarse_matcher = MatcherKind::geotr;
  network.fine_matcher = MatcherKind::none;
  TrainOptions& train = config.train;
  train.batch = 1;
  train.learning_rate = 1e-4;
  train.warm_up = 0;
  train.decay = Decay::constant;
  train.clip = 0.0;
  train.average = 0.0;
  LossOptions& losses = train.losses;
  losses.matching_from = 0;
  losses.contrast = false;
  losses.coarse = 1.0;
  losses.fine = 1.0;
  losses.orthonormal = 0.0;
  losses.zero = 0.0;
  losses.fracture = 0.0;
  DataOptions& data = config.data;
  data.pairs.dense_points_per_object = 0;
  data.pairs.noise = 0.0;
  data.pairs.vary_noise = false;
  data.pairs.scale_jitter = 0.0;
  data.max_parts = 20;
  return config;
}

Status check_geotransformer(const NetworkOptions& options, const std::string& place) {
  if (options.coarse_matcher == MatcherKind::geotr && options.fine_matcher == MatcherKind::none) return {};
  return error_at(
      place, Cause::mismatch,
      "not a GeoTransformer: its coarse matcher is 'geotr', its fine matcher 'none'; other networks "
      "go without --system");
}

Result<ChosenWeights> choose_geotransformer(const std::filesystem::path& weights, std::uint64_t seed,
                                            const Listener& listener) {
  if (weights == "none") {
    listener.warn("no trained weights: the system is untrained, the poses mean nothing");
    PMTR_TRY(FragmentEncoder encoder, FragmentEncoder::untrained(geotransformer_config().network, seed));
    return ChosenWeights{std::move(encoder), "geotransformer: untrained", false};
  }
  PMTR_TRY(ChosenWeights chosen, choose_weights(weights, std::nullopt, seed, listener));
  PMTR_TRY_STATUS(check_geotransformer(chosen.encoder.options(), weights.string()));
  chosen.name = "geotransformer: " + chosen.name;
  return chosen;
}

}  // namespace pmtr
