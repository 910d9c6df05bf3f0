// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include "pmtr/assemble/assembly.h"

namespace pmtr {

/// The smaller side of every pair of parts without whose used joints their component falls in two. If such a
/// joint is wrong, all of the side stands wrong.
std::vector<std::vector<int>> bridge_sides(const Assembly& assembly);

}  // namespace pmtr
