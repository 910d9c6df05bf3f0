// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "command.h"

namespace pmtr::command {

struct ExplainArguments {
  std::vector<std::filesystem::path> files;  ///< two fragments
  std::filesystem::path out;
  std::optional<std::filesystem::path> weights;
  std::optional<double> object_size;
  std::uint64_t seed = 0;
  std::optional<int> threads;
};

/// Both programs declare the command; only pmtr-network has a `run` to give.
Command explain_command(const std::function<int(const ExplainArguments&)>& run);

}  // namespace pmtr::command
