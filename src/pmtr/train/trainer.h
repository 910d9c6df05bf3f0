// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/train/batch_gradient.h"
#include "pmtr/train/train_options.h"
#include "pmtr/train/validation.h"
#include "pmtr/train/worker_group.h"

namespace pmtr {

/// What a run is made of.
struct TrainingRun {
  TrainOptions options;
  /// Pair `index` of an endless list; a function of the index alone, called from several threads.
  std::function<Result<PairSample>(std::uint64_t index)> sample;
  /// How the network does, asked now and then by rank 0; may be empty.
  std::function<ValidationScores(const PmtrNetwork& network)> validate;
  /// checkpoints/, train.jsonl, training.html, best.safetensors and last.safetensors go here.
  std::filesystem::path folder;
  bool resume = false;      ///< go on from the newest whole checkpoint, if there is one
  std::string description;  ///< all options as text: a run goes on only under the same
  /// Threads that prepare pairs on the side.
  int loaders = TrainOptions::usual_loaders;
};

struct TrainingSummary {
  std::int64_t first_step = 0;
  std::int64_t steps = 0;  ///< updates done in all
  LossValues losses;       ///< of the last update
  double best_score = -1.0;
  double seconds_per_step = 0.0;  ///< mean, of this sitting, validation and checkpoints left out
  bool stopped = false;           ///< the listener asked to stop; the checkpoint holds everything
};

/// Runs to the end or until the listener asks to stop. The network's weights are changed in place.
Result<TrainingSummary> train(PmtrNetwork& network, const TrainingRun& run, WorkerGroup& group,
                              Threads& threads, const Listener& listener);

}  // namespace pmtr
