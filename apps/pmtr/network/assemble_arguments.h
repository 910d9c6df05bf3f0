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

namespace pmtr::command {

/// What `pmtr assemble` was told. Empty optionals leave the choice to the stages' own defaults.
struct AssembleArguments {
  std::vector<std::filesystem::path> files;
  std::filesystem::path out;  ///< folder for the results
  std::optional<std::filesystem::path> weights;
  std::uint64_t seed = 0;
  std::optional<int> threads;         ///< all cores if empty
  std::optional<double> object_size;  ///< longest side of the whole object, input units; estimated if empty
  std::string units;                  ///< only repeated in the results; empty: unknown
  std::optional<std::filesystem::path> constraints;  ///< decisions to replay
  bool no_report = false;                            ///< neither report.html nor pictures
  bool light = false;                                ///< a small report.html
  std::optional<int> points;                         ///< sampled per object for the network
  bool place_all = false;       ///< place uncertain fragments too, at their most likely pose
  bool only_confirmed = false;  ///< join only what is confirmed
  bool exhaustive = false;      ///< search every pair in full
  bool json = false;            ///< print assembly.json to stdout as well
};

/// Both programs declare the command; only pmtr-network has a `run` to give.
Command assemble_command(const std::function<int(const AssembleArguments&)>& run);

}  // namespace pmtr::command
