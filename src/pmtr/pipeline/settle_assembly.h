// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/rematch_groups.h"
#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/pipeline/assemble_fragments.h"

namespace pmtr {

/// The whole object: parts at better places, all contacts together, and how far each joint may be believed.
Assembly settle_assembly(Assembly assembly, const PartsAtHand& parts, const AssembleOptions& options,
                         Threads& threads, const Listener& listener);

/// Of many parts: what only confirmed joints hold is matched again, as long as that makes a better assembly.
/// One part in a wrong place stands in the way of groups that fit, and two groups that are joined wrongly are
/// not searched against each other. Not where fragments are of several objects: of two whole vessels
/// something always fits somewhere.
Result<Assembly> rejoin_confirmed(Assembly assembly, const PartsAtHand& parts, const AssembleOptions& options,
                                  Threads& threads, const Listener& listener);

}  // namespace pmtr
