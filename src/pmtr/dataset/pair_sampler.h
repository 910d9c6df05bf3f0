// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/dataset/fracture_source.h"
#include "pmtr/dataset/training_pair.h"

namespace pmtr {

/// Weights are finite and not negative, and one is above 0.
Status check_sources(std::span<const WeightedSource> sources);

/// One of them, drawn by weight. They were checked.
const FractureSource& choose_source(std::span<const WeightedSource> sources, Random& random);

/// An endless list of training pairs: source of fractures by weight, then an object, then one of its usable
/// pairs, then a fresh sample. Pair i depends on the sources, the seed and i only, so training can resume
/// anywhere and any number of threads may prepare pairs.
class PairSampler {
 public:
  static Result<PairSampler> create(std::vector<WeightedSource> sources, const PairOptions& options,
                                    std::uint64_t seed);

  /// Objects without a usable pair are drawn again, some hundred times before it is an error.
  Result<TrainingPair> make_pair(std::uint64_t index) const;

 private:
  PairSampler(std::vector<WeightedSource> sources, const PairOptions& options, std::uint64_t seed)
      : sources_(std::move(sources)), options_(options), seed_(seed) {}

  std::vector<WeightedSource> sources_;
  PairOptions options_;
  std::uint64_t seed_;
};

}  // namespace pmtr
