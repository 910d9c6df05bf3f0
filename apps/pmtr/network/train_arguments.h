// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "command.h"

namespace pmtr::command {

/// What `pmtr train` was told; what is learnt and how stands in the configuration.
struct TrainArguments {
  std::optional<std::filesystem::path> config;
  std::filesystem::path data;
  std::optional<std::filesystem::path> cells;      ///< of the dataset's objects, to be broken in new ways
  std::optional<std::filesystem::path> generated;  ///< another dataset, such as pmtr fracture makes
  std::optional<std::filesystem::path> split;  ///< objects to learn from; all but the validation's if empty
  std::optional<std::filesystem::path> validation;  ///< objects to validate on; chosen by name if empty
  bool skip_missing = false;
  std::filesystem::path out;
  std::optional<std::filesystem::path> warm_start;
  std::optional<std::filesystem::path> cache;
  std::optional<int> steps;
  std::optional<int> threads;
  std::optional<int> loaders;
  std::optional<int> workers;
  bool resume = false;
  std::optional<int> measure;  ///< only measure so many updates
  bool print_config = false;
};

/// Both programs declare the command; only pmtr-network has a `run` to give.
Command train_command(const std::function<int(const TrainArguments&)>& run);

}  // namespace pmtr::command
