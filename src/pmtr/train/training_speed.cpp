// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/training_speed.h"

namespace pmtr {

Result<TrainingSpeed> measure_training(PmtrNetwork& network, TrainingRun run, int steps, WorkerGroup& group,
                                       Threads& threads, const Listener& listener) {
  run.options.steps = steps;
  run.validate = nullptr;
  run.folder /= "measure";
  const MakeSample<PairSample> make = run.sample;
  const auto count = static_cast<std::uint64_t>(steps) * static_cast<std::uint64_t>(run.options.batch);
  const auto train_with = [&](const MakeSample<PairSample>& sample) -> Result<RunSummary> {
    run.sample = sample;
    PMTR_TRY(const TrainingSummary summary, train(network, run, group, threads, listener));
    return RunSummary(summary);
  };
  return measure_speed<PairSample>(make, count, run.folder, train_with, listener);
}

}  // namespace pmtr
