// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "pmtr/core/listener.h"
#include "pmtr/train/learner.h"
#include "pmtr/train/train_options.h"
#include "pmtr/train/worker_group.h"

namespace pmtr {

/// A run, whatever it teaches.
struct RunSettings {
  TrainOptions options;
  /// checkpoints/, train.jsonl, training.html, best.safetensors and last.safetensors go here.
  std::filesystem::path folder;
  bool resume = false;      ///< go on from the newest whole checkpoint, if there is one
  std::string description;  ///< all options as text: a run goes on only under the same
  std::string title = "Training of a pmtr network";
};

struct RunSummary {
  std::int64_t first_step = 0;
  std::int64_t steps = 0;                ///< updates done in all
  std::map<std::string, double> values;  ///< LearningStep::losses of the last update
  double best_score = -1.0;
  double seconds_per_step = 0.0;  ///< mean, of this sitting, validation and checkpoints left out
  /// Processor time of all threads, data included; without the first update if there is another.
  double processor_per_step = 0.0;
  bool stopped = false;  ///< the listener asked to stop; the checkpoint holds everything
};

/// Runs to the end or until the listener asks to stop. The learner's weights are changed in place.
Result<RunSummary> run_learner(Learner& learner, const RunSettings& settings, WorkerGroup& group,
                               Threads& threads, const Listener& listener);

}  // namespace pmtr
