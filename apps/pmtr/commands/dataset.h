// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "pmtr/core/threads.h"
#include "pmtr/dataset/object_cache.h"
#include "pmtr/dataset/statistics.h"

namespace pmtr::command {

struct DatasetArguments {
  std::string action;
  std::filesystem::path folder;
  std::optional<std::filesystem::path> json;
  std::optional<std::filesystem::path> picture;
  std::optional<std::filesystem::path> split;
  std::optional<std::filesystem::path> cache;
  std::string categories;  ///< separated by commas
  bool skip_missing = false;
  bool volume_constrained = false;
  std::optional<int> min_parts;
  std::optional<int> max_parts;
  std::optional<int> cells;
  std::optional<int> threads;
};

/// A table for people, and the same numbers for programs with a record per fracture.
std::string statistics_table(const DatasetStatistics& statistics);
std::string statistics_json(const DatasetStatistics& statistics, std::span<const FractureMeasure> measures);

/// One fracture of as many objects as there are cells, spread evenly over the dataset: pieces coloured and
/// slightly pulled apart.
Status write_dataset_sheet(const DatasetIndex& index, const ObjectCache& cache, int cells,
                           const std::filesystem::path& file, Threads& threads, const Listener& listener);

}  // namespace pmtr::command
