// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/rematch_groups.h"

namespace pmtr {

/// Parts that no search has brought together may still touch where they stand. Where their surfaces fit, each
/// such contact becomes a used joint: it speaks for its parts as much as the one that placed them.
Assembly join_contacts(Assembly assembly, const PartsAtHand& parts, Threads& threads);

}  // namespace pmtr
