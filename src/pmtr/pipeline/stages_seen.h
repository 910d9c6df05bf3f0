// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/evaluate/piece_losses.h"
#include "pmtr/pipeline/assemble_fragments.h"

namespace pmtr {

/// What the stages of an assembly knew of its object, for explain_losses. What was seen of a break is known
/// where the truth is known by face; what the surfaces say at the true pose, where poses were searched.
StagesSeen stages_seen(const ScatteredObject& object, const AssembleResult& result, Threads& threads);

}  // namespace pmtr
