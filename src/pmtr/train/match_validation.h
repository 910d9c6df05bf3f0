// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/core/listener.h"
#include "pmtr/core/threads.h"
#include "pmtr/dataset/training_pair.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/train/pair_truth.h"
#include "pmtr/train/validation.h"

namespace pmtr {

/// How the matches of a network on breaks do on pairs it has not learnt from: hit (of the points that touch
/// the partner, how many have their nearest feature within 0.03 of the right place), mutual_inliers,
/// coarse_inliers (of the best superpoint matches, how many overlap), recall_matches and recall_lgr (10
/// degrees, 0.05) of poses from matches alone, by frames and by local-to-global registration, rmse_matches
/// and rmse_lgr (their RMSE(R) in degrees, mean over pairs), and self_cosine (mean over superpoints: near 1
/// the features have collapsed). "Best" is recall_matches.
ValidationScores validate_matches(const PmtrNetwork& network, std::span<const TrainingPair> pairs,
                                  const PairTruthOptions& truth, Threads& threads, const Listener& listener);

}  // namespace pmtr
