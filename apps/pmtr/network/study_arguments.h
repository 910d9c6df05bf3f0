// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "command.h"

namespace pmtr::command {

/// What `pmtr study` was told; what is compared stands in the file.
struct StudyArguments {
  std::filesystem::path file;
  std::filesystem::path out;
  std::vector<std::filesystem::path> known;  ///< folders of other studies
  std::optional<std::filesystem::path> data;
  std::optional<std::filesystem::path> cells;
  std::optional<std::filesystem::path> validation;
  std::optional<std::filesystem::path> warm_start;  ///< "none": none; if empty, the released weights
  std::string shard = "1/1";                        ///< "2/3": the second of three machines
  bool skip_missing = false;
  std::optional<int> threads;
  std::optional<int> loaders;
  std::optional<double> memory;
  std::optional<double> minutes;  ///< instead of those that the file gives
  bool tables_only = false;
};

/// Both programs declare the command; only pmtr-network has a `run` to give.
Command study_command(const std::function<int(const StudyArguments&)>& run);

}  // namespace pmtr::command
