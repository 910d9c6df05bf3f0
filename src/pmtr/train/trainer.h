// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>

#include "pmtr/core/listener.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/train/batch_gradient.h"
#include "pmtr/train/sample_stream.h"
#include "pmtr/train/training_run.h"

namespace pmtr {

/// The training of a network.
struct TrainingRun : RunSettings {
  /// Pair `index` of an endless list.
  MakeSample<PairSample> sample;
  /// How the network does, asked now and then by rank 0; may be empty.
  std::function<ValidationScores(const PmtrNetwork& network)> validate;
  /// Threads that prepare pairs on the side.
  int loaders = TrainOptions::usual_loaders;
};

struct TrainingSummary : RunSummary {
  LossValues losses;  ///< of the last update
};

/// run_learner of a network. Its weights are changed in place.
Result<TrainingSummary> train(PmtrNetwork& network, const TrainingRun& run, WorkerGroup& group,
                              Threads& threads, const Listener& listener);

}  // namespace pmtr
