// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/core/listener.h"
#include "pmtr/core/threads.h"
#include "pmtr/dataset/training_pair.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/train/validation.h"

namespace pmtr {

/// How well a break network sees the breaks of fragments it has not learnt from: fracture_auc over all
/// points, and what summarise_labels says of the fragments. "Best" is the overlap.
ValidationScores validate_breaks(const PmtrNetwork& network, std::span<const TrainingPair> pairs,
                                 Threads& threads, const Listener& listener);

}  // namespace pmtr
