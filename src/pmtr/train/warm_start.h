// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pmtr/network/parameters.h"

namespace pmtr {

/// What was taken over from another network's weights, and what was not.
struct WarmStart {
  std::vector<std::string> loaded;
  std::vector<std::string> other_shape;  ///< in both, but of another shape: as initialised
  std::vector<std::string> missing;      ///< not in the file: as initialised
  std::vector<std::string> fresh;        ///< as initialised because asked for
  std::vector<std::string> unused;       ///< in the file only

  std::string text() const;  ///< one line for people
};

/// Copies every tensor, in place, whose name and shape fit, but those whose names begin with one of `fresh`.
/// A file of which nothing fits is an error.
Result<WarmStart> warm_start(const Parameters& parameters, const std::filesystem::path& weights,
                             std::span<const std::string> fresh = {});
Result<WarmStart> warm_start(const Parameters& parameters, const WeightFile& weights, const std::string& name,
                             std::span<const std::string> fresh = {});

}  // namespace pmtr
