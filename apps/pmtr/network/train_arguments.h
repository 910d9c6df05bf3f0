// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "pmtr/train/training_data.h"

namespace pmtr::command {

/// What `pmtr train` was told; what is learnt and how stands in the configuration.
struct TrainArguments {
  std::optional<std::filesystem::path> config;
  std::string system;  ///< empty: pmtr itself; or one of systems/
  TrainingFolders folders;
  std::filesystem::path out;
  std::optional<std::filesystem::path> warm_start;
  std::vector<std::string> fresh;  ///< beginnings of names that are not warm-started
  std::optional<double> memory;    ///< gigabytes that matchers may take; what is free if empty
  std::optional<std::filesystem::path> cache;
  std::optional<int> steps;
  std::optional<int> threads;
  std::optional<int> loaders;
  std::optional<int> workers;
  std::optional<int> slurm;
  bool resume = false;
  std::optional<int> measure;  ///< only measure this many updates
  bool print_config = false;
};

/// Both programs declare the command; only pmtr-network has a `run` to give.
Command train_command(const std::function<int(const TrainArguments&)>& run);

}  // namespace pmtr::command
