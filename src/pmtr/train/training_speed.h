// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "pmtr/train/trainer.h"

namespace pmtr {

/// Seconds per update of the same updates twice.
struct TrainingSpeed {
  double prepared = 0.0;  ///< with pairs that are ready: the update alone
  double made = 0.0;      ///< with pairs that have to be made on the way
  /// Processor time of an update with its data, all threads together: the first update, which has to warm up,
  /// counts only if there is no other.
  double processor = 0.0;
  bool stopped = false;  ///< the listener asked to stop before both were known
};

/// Trains twice in `folder`, which is removed afterwards: with `count` samples that are ready, and with the
/// same that are made on the way.
template <class Sample>
Result<TrainingSpeed> measure_speed(const MakeSample<Sample>& make, std::uint64_t count,
                                    const std::filesystem::path& folder,
                                    const std::function<Result<RunSummary>(const MakeSample<Sample>&)>& train,
                                    const Listener& listener) {
  std::vector<Sample> ready;
  for (std::uint64_t i = 0; i < count; ++i) {
    PMTR_TRY(Sample sample, make(i));
    ready.push_back(std::move(sample));
    listener.advance("prepare", static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(count));
  }
  TrainingSpeed speed;
  for (const bool prepared : {true, false}) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    MakeSample<Sample> next = make;
    if (prepared) next = [&](std::uint64_t i) -> Result<Sample> { return ready[i % count]; };
    PMTR_TRY(const RunSummary summary, train(next));
    (prepared ? speed.prepared : speed.made) = summary.seconds_per_step;
    speed.processor = summary.processor_per_step;
    std::filesystem::remove_all(folder, ignored);
    speed.stopped = summary.stopped;
    if (speed.stopped) break;
  }
  return speed;
}

/// The network's weights are changed; files of the run go into a folder beside it and are removed.
Result<TrainingSpeed> measure_training(PmtrNetwork& network, TrainingRun run, int steps, WorkerGroup& group,
                                       Threads& threads, const Listener& listener);

}  // namespace pmtr
