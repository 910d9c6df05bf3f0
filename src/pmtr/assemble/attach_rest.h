// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/rematch_groups.h"

namespace pmtr {

/// Places everything: groups and parts that no likely joint ties to the others are attached by the likeliest
/// of the joints that are left, which are the assembly's own and `doubtful` ones. What stands together stays
/// together: a guess about one part is no reason to move another.
Assembly attach_rest(Assembly assembly, std::span<const Joint> doubtful, const PartsAtHand& parts,
                     const ChooseOptions& choose);

}  // namespace pmtr
