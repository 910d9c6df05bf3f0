// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "pmtr/core/result.h"
#include "pmtr/dataset/training_pair.h"
#include "pmtr/network/network_options.h"
#include "pmtr/train/round_options.h"
#include "pmtr/train/train_options.h"

namespace pmtr {

/// Where the pairs of a run come from. The defaults are the best we know (configs/default.toml).
struct DataOptions {
  /// Noisier than PairOptions alone are: scans have noise, and the size of the whole object is a guess.
  PairOptions pairs{
      .dense_points_per_object = 20'000, .noise = 0.002, .vary_noise = true, .scale_jitter = 0.1};
  double recorded = 1.0;     ///< how often a pair is of the fractures of the dataset, relative to the others
  double refractured = 0.0;  ///< of its cells, broken in new ways; needs the folder of cells
  double generated = 0.0;  ///< of shapes made and broken for each pair; or of another dataset, by its folder
  int min_parts = 2;       ///< of a fracture
  int max_parts = 20;
  double least_volume_share = 0.0;  ///< fractures with smaller pieces are left out
  /// One object in this many is held out for validation, chosen by the name of its shape; 0: none.
  int validation_one_in = 8;
  RoundOptions rounds;  ///< how often a pair is learnt from

  /// What the reference was trained on: objects in two parts, as they are.
  static DataOptions reference();

  Status validate() const;
};

/// All of a run, as a TOML file says it. Every key fills the member of the same name; what is not said keeps
/// the member's default. TrainConfig{} is configs/default.toml.
struct TrainConfig {
  NetworkOptions network;
  TrainOptions train;
  DataOptions data;

  /// configs/reference.toml: what the authors' released code computes and how it was trained.
  static TrainConfig reference();

  Status validate() const;
};

/// An unknown key is an error with its line and the nearest key there is; so is a value of another type.
/// What the text does not say is as in `defaults`.
Result<TrainConfig> parse_config(std::string_view text, const std::string& name,
                                 const TrainConfig& defaults = {});
Result<TrainConfig> read_config(const std::filesystem::path& path, const TrainConfig& defaults = {});

/// Every key with its value, in the order of the members: reading it gives the same configuration.
std::string to_toml(const TrainConfig& config);

}  // namespace pmtr
