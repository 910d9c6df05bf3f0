// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <string>
#include <vector>

namespace pmtr {

/// What fragments are called in results: the names of their files, and where two have one name, with as many
/// of their folders before it as tells them apart: "left/scan.ply", "right/scan.ply". None leads out of a
/// folder it is joined to. Files that are one and the same are told apart by numbers.
std::vector<std::string> distinct_names(std::span<const std::string> files);

}  // namespace pmtr
