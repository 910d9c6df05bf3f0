// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/pair_sampler.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace pmtr {
namespace {

constexpr int most_pairs_drawn = 500;

}  // namespace

Result<PairSampler> PairSampler::create(std::vector<WeightedSource> sources, const PairOptions& options,
                                        std::uint64_t seed) {
  PMTR_TRY_STATUS(options.validate());
  PMTR_TRY_STATUS(check_sources(sources));
  return PairSampler(std::move(sources), options, seed);
}

Status check_sources(std::span<const WeightedSource> sources) {
  double sum = 0.0;
  for (const WeightedSource& source : sources) {
    PMTR_CHECK(source.source != nullptr, "a source of fractures");
    if (!(source.weight >= 0.0 && std::isfinite(source.weight))) {
      return invalid_option(fmt::format("the weight of the {} fractures is {}: must not be negative",
                                        source.source->kind(), source.weight));
    }
    sum += source.weight;
  }
  if (!(sum > 0.0)) return invalid_option("no source of fractures with a weight above 0");
  return {};
}

const FractureSource& choose_source(std::span<const WeightedSource> sources, Random& random) {
  double sum = 0.0;
  for (const WeightedSource& source : sources) sum += source.weight;
  double left = random.uniform() * sum;
  const FractureSource* chosen = nullptr;
  for (const WeightedSource& source : sources) {
    if (source.weight == 0.0) continue;
    chosen = source.source.get();  // the last one stays if rounding leaves a rest
    left -= source.weight;
    if (left < 0.0) break;
  }
  return *chosen;
}

Result<TrainingPair> PairSampler::make_pair(std::uint64_t index) const {
  Random random(seed_, index);
  // One choice for all tries: proportions hold even if one source has fewer usable objects.
  const FractureSource& source = choose_source(sources_, random);
  for (int i = 0; i < most_pairs_drawn; ++i) {
    PMTR_TRY(const auto object, source.draw(random));
    const std::vector<MatingPair> usable = usable_pairs(*object, options_);
    if (usable.empty()) continue;
    const MatingPair& pair = usable[random.below(usable.size())];
    PMTR_TRY(TrainingPair prepared, prepare_pair(*object, pair, options_, Random(random.bits())));
    prepared.kind = source.kind();
    prepared.seed = seed_;
    prepared.index = index;
    return prepared;
  }
  return Error{Cause::empty,
               fmt::format("{} {} objects drawn, none with two pieces that touch, have {} points and overlap "
                           "by {} to {}",
                           most_pairs_drawn, source.kind(), options_.min_points, options_.least_overlap,
                           options_.most_overlap),
               {}};
}

}  // namespace pmtr
