// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr {

/// One line of a split or list file.
struct SplitLine {
  std::string path;           ///< of an object or of one fracture, relative to the dataset; forward slashes
  std::optional<int> pieces;  ///< the authors' lists say how many there are
  std::uint64_t line = 0;     ///< counted from 1
};

/// Two kinds of lines, which may be mixed: the path of an object ("everyday/Bottle/738d"), or a number of
/// pieces and a path ("2 everyday/Bottle/738d/fractured_3"). Empty lines are skipped. Paths that are absolute
/// or lead out of the dataset are errors.
Result<std::vector<SplitLine>> parse_split(std::string_view text, const std::string& name);
Result<std::vector<SplitLine>> read_split(const std::filesystem::path& file);

}  // namespace pmtr
