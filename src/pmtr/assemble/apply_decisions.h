// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/constraints.h"
#include "pmtr/assemble/part_shape.h"
#include "pmtr/assemble/solve_joints.h"

namespace pmtr {

/// An assembly under the decisions of a person. What no decision touches keeps its poses bit for bit, so that
/// no decision at all gives back `automatic`, the assembly that was made without any; locking a joint that is
/// used already moves nothing. Where a decision takes something away or contradicts what stands, the pieces
/// that still hold together are joined anew by solve_joints, with the options that made `automatic`. What was
/// put somewhere by hand stands there. Locked joints in a circle must agree (Cause::mismatch otherwise).
/// `object_size` is in the coordinates of the joints.
Result<Assembly> apply_decisions(const Assembly& automatic, std::span<const PartShape> parts,
                                 const AppliedConstraints& decisions, double object_size,
                                 const SolveOptions& options, const Listener& listener = {},
                                 const PairCheck& check = {});

}  // namespace pmtr
