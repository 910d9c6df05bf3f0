// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pmtr/train/trainer.h"
#include "pmtr/train/training_data.h"
#include "pmtr/train/training_speed.h"

namespace pmtr {

/// A run by its folders and files, as `pmtr train` and pmtr.train of Python are told it.
struct TrainJob {
  TrainConfig config;
  TrainingFolders folders;
  std::filesystem::path out;
  std::optional<std::filesystem::path> warm_start;
  std::vector<std::string> fresh;              ///< beginnings of names that are not warm-started
  std::optional<double> memory;                ///< gigabytes that matchers may take; what is free if empty
  std::optional<std::filesystem::path> cache;  ///< of broken objects; in `out` if empty
  std::optional<int> loaders;
  bool resume = false;
  std::optional<int> measure;  ///< only measure this many updates
};

/// The objects of a job: listed, and prepared in the cache.
struct PreparedObjects {
  TrainingObjects objects;
  ObjectCache cache;
};
/// What is held out goes into validation.txt of the run's folder. Rank 0 does the work.
Result<PreparedObjects> prepare_training_objects(const TrainJob& job, const WorkerGroup& group,
                                                 Threads& threads, const Listener& listener);

struct TrainJobResult {
  TrainingSummary summary;             ///< nothing was learnt where only the speed was measured
  std::optional<TrainingSpeed> speed;  ///< with TrainJob::measure
};

Result<TrainJobResult> run_training(const TrainJob& job, WorkerGroup& group, Threads& threads,
                                    const Listener& listener);

}  // namespace pmtr
