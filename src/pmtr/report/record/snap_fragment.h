// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/pose/joint_evidence.h"
#include "pmtr/report/record/assembly_json.h"

namespace pmtr {

struct Snapped {
  AppliedPlacement placement;  ///< `on` is now what it touches most
  JointEvidence evidence;      ///< between these two
  double turned_deg = 0.0;     ///< by how much the fragment was moved
  double shifted = 0.0;        ///< of its middle, in the input's units
};

/// A fragment that a person put about where it belongs, pulled onto the breaks of all that stand around it
/// there. What it was joined to before does not count, unless it stays (`group` takes it along instead).
/// Cause::mismatch where no break is near enough. `clouds` are those of orient_seen; the record has its
/// shapes, and knows what was seen of the breaks.
Result<Snapped> snap_fragment(const AssemblyRecord& record, std::span<const OrientedCloud> clouds,
                              const AppliedPlacement& wish);

}  // namespace pmtr
