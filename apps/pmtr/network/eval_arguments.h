// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "pmtr/evaluate/evaluate_options.h"

namespace pmtr::command {

/// What `pmtr eval` was given.
struct EvalArguments {
  /// A dataset; or the word merge and the files of shards.
  std::vector<std::filesystem::path> inputs;
  EvaluateOptions options;
  std::string shard;   ///< "i/n"; empty: everything
  std::string anchor;  ///< counted or left-out; empty: as the paper does
  std::optional<std::filesystem::path> weights;
  std::string system;              ///< empty: pmtr itself; or one of systems/
  std::string pose = "both";       ///< lgr, matches, surfaces or both
  std::string labels = "network";  ///< network or true: who says where pieces are broken
  std::optional<double> noise;
  std::optional<int> break_points;   ///< DensifyOptions::break_points
  std::optional<int> scar_points;    ///< DensifyOptions::scar_points
  std::vector<std::string> without;  ///< steps that are left out
  bool only_likely = false;          ///< leave out pieces without a likely pose
  std::optional<std::filesystem::path> cache;
  std::optional<std::filesystem::path> json;
  std::optional<std::filesystem::path> markdown;
  std::optional<std::filesystem::path> latex;
  std::optional<std::filesystem::path> picture;
  std::optional<std::filesystem::path> labels_sheet;
  bool screening = false;  ///< which pieces touch, in place of how they are put together
  std::optional<std::filesystem::path> explain;
  std::optional<int> threads;  ///< all cores if empty
};

/// Both programs declare the command; only pmtr-network has a `run` to give.
Command eval_command(const std::function<int(const EvalArguments&)>& run);

}  // namespace pmtr::command
