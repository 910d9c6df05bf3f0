// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/dataset/fracture_source.h"
#include "pmtr/dataset/object_cache.h"
#include "pmtr/train/config.h"

namespace pmtr {

/// Where the objects of a run are.
struct TrainingFolders {
  std::filesystem::path data;                  ///< a dataset in the layout of Breaking Bad
  std::optional<std::filesystem::path> cells;  ///< of the dataset's objects, to be broken in new ways
  /// Another dataset, such as pmtr fracture makes, in the place of shapes that are made while training.
  std::optional<std::filesystem::path> generated;
  std::optional<std::filesystem::path> split;  ///< file with the objects to train on; all if empty
  /// File with the objects to hold out for validation; if empty, DataOptions::validation_one_in chooses them.
  std::optional<std::filesystem::path> validation;
  bool skip_missing = false;  ///< go on where a file names objects that are not there
};

/// The dataset in two parts: no object is in both.
struct TrainingObjects {
  DatasetIndex learnt;
  DatasetIndex validation;  ///< held out
};

Result<TrainingObjects> list_training_objects(const TrainingFolders& folders, const DataOptions& data,
                                              const Listener& listener);

/// Recorded fractures, cells that are fractured anew and generated objects, each with its weight where it is
/// above 0.
Result<std::vector<WeightedSource>> training_sources(const TrainingFolders& folders, const DataOptions& data,
                                                     const DatasetIndex& learnt, const ObjectCache& cache,
                                                     const Listener& listener);

/// The pairs of every validation of the run, without noise; none if it never validates.
Result<std::vector<TrainingPair>> validation_pairs(const DatasetIndex& held_out, const ObjectCache& cache,
                                                   const TrainConfig& config, const Listener& listener);

/// Which objects the run did not learn from, one per line, for an evaluation to come. No file if there are
/// none.
Status write_held_out(const DatasetIndex& held_out, const std::filesystem::path& file);

/// The configuration as text without what may change when a run is resumed: how often it logs, validates and
/// writes checkpoints. For TrainingRun::description.
std::string resume_description(const TrainConfig& config);

}  // namespace pmtr
