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

struct BenchArguments {
  std::vector<std::filesystem::path> clouds;  ///< two fragments whose vertices are the points; or none
  std::optional<std::filesystem::path> weights;
  std::optional<int> threads;  ///< all cores if empty
  std::optional<int> repeats;  ///< runs per median
  std::optional<std::filesystem::path> json;
  std::string only;  ///< one measurement, in this process: its JSON goes to stdout
  bool quick = false;
};

/// Both programs declare the command; only pmtr-network has a `run` to give.
Command bench_command(const std::function<int(const BenchArguments&)>& run);

}  // namespace pmtr::command
