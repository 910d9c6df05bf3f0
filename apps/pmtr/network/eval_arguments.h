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

/// What `pmtr eval` was told.
struct EvalArguments {
  /// A dataset; or the word merge and the files of shards.
  std::vector<std::filesystem::path> inputs;
  std::optional<std::filesystem::path> weights;
  std::optional<std::filesystem::path> split;
  std::optional<std::filesystem::path> cache;
  std::optional<std::filesystem::path> json;
  std::optional<std::filesystem::path> markdown;
  std::optional<std::filesystem::path> latex;
  std::optional<std::filesystem::path> picture;
  bool skip_missing = false;
  std::optional<int> min_parts;
  std::optional<int> max_parts;
  bool volume_constrained = false;
  bool pairs = false;         ///< pieces two by two, in place of whole objects
  std::string pose = "both";  ///< matches, surfaces or both
  std::optional<int> points;
  std::optional<int> dense_points;
  std::optional<double> noise;
  std::optional<double> triangles;  ///< keep this share of each piece's triangles
  bool only_likely = false;         ///< leave pieces out where nothing likely ties them to the rest
  bool estimate_size = false;       ///< do not tell the size of the whole object
  std::optional<int> limit;         ///< at most so many samples, spread over the dataset
  std::string shard;                ///< "i/n"
  std::uint64_t seed = 0;
  std::optional<int> threads;
  bool one_by_one = false;  ///< one sample after the other, each with all threads
};

/// Both programs declare the command; only pmtr-network has a `run` to give.
Command eval_command(const std::function<int(const EvalArguments&)>& run);

}  // namespace pmtr::command
