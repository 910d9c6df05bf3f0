// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/dataset/training_pair.h"
#include "pmtr/train/batch_gradient.h"

namespace pmtr {

/// All that can be computed of a pair before the weights are known: pyramids, surface features, truth. The
/// fracture head sees all dense points, or, where that is enough (and it has no context), twice as many as
/// the network does. Without `matching` only what the break network reads is found. Uses the calling thread
/// alone: pairs are prepared beside each other.
Result<PairSample> prepare_sample(const TrainingPair& pair, const NetworkOptions& network,
                                  const PairTruthOptions& truth, bool all_dense_points, bool matching = true);

/// Where breaks are looked for.
enum class BreakLabels {
  seen,   ///< where the break network sees them
  mixed,  ///< for one pair in four, where they are
};

/// The same for a network on breaks, whose break network has learnt already.
Result<PairSample> prepare_match_sample(const TrainingPair& pair, const PmtrNetwork& network,
                                        const PairTruthOptions& truth, BreakLabels labels);

}  // namespace pmtr
