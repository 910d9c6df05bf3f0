// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "pmtr/pipeline/assemble_request.h"

namespace pmtr::command {

/// What `pmtr assemble` was told. Empty optionals leave the choice to the stages' own defaults.
struct AssembleArguments {
  std::vector<std::filesystem::path> files;
  std::filesystem::path out;  ///< folder for the results
  std::optional<std::filesystem::path> weights;
  std::string system;  ///< empty: pmtr itself; or one of systems/
  AssembleRequest request;
  std::optional<std::filesystem::path> work;  ///< folder that keeps what an interrupted run has done
  std::optional<int> threads;                 ///< all cores if empty
  bool no_report = false;                     ///< neither report.html nor pictures
  bool light = false;                         ///< a small report.html
  bool json = false;                          ///< print assembly.json to stdout as well
  std::string progress = "bar";               ///< or "lines", for programs
};

/// Both programs declare the command; only pmtr-network has a `run` to give.
Command assemble_command(const std::function<int(const AssembleArguments&)>& run);

}  // namespace pmtr::command
