// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/part_shape.h"

namespace pmtr {

/// Parts that stand together.
struct PartGroup {
  std::vector<int> members;  ///< in the order of their numbers
  int anchor = -1;           ///< the largest of them
};

/// Marks the parts of every group of two or more as placed, with the number of their component and the anchor
/// among them: groups by size, largest first, then by smallest part. `group_of` says which parts are one
/// group, by any number per part; below 0 is a part alone. Poses are left to the caller.
std::vector<PartGroup> number_groups(std::span<const PartShape> parts, const std::vector<int>& group_of,
                                     Assembly& assembly);

}  // namespace pmtr
