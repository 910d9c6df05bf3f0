// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/training_speed.h"

#include <utility>

namespace pmtr {

Result<TrainingSpeed> measure_training(PmtrNetwork& network, TrainingRun run, int steps, WorkerGroup& group,
                                       Threads& threads, const Listener& listener) {
  run.options.steps = steps;
  run.validate = nullptr;
  run.folder /= "measure";
  const auto make = run.sample;
  const auto count = static_cast<std::uint64_t>(steps) * static_cast<std::uint64_t>(run.options.batch);
  std::vector<PairSample> ready;
  for (std::uint64_t i = 0; i < count; ++i) {
    PMTR_TRY(PairSample sample, make(i));
    ready.push_back(std::move(sample));
    listener.advance("prepare", static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(count));
  }
  TrainingSpeed speed;
  for (const bool prepared : {true, false}) {
    std::error_code ignored;
    std::filesystem::remove_all(run.folder, ignored);
    if (prepared) run.sample = [&](std::uint64_t i) -> Result<PairSample> { return ready[i % count]; };
    if (!prepared) run.sample = make;
    PMTR_TRY(const TrainingSummary summary, train(network, run, group, threads, listener));
    (prepared ? speed.prepared : speed.made) = summary.seconds_per_step;
    std::filesystem::remove_all(run.folder, ignored);
    speed.stopped = summary.stopped;
    if (speed.stopped) break;
  }
  return speed;
}

}  // namespace pmtr
