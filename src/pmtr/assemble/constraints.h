// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/assemble/assemble_many.h"
#include "pmtr/assemble/assembly.h"

namespace pmtr {

/// What a person decided about a joint.
enum class Decision {
  none,
  lock,    ///< its two parts stand exactly like this
  reject,  ///< it is wrong, and must not be used
};
const char* decision_name(Decision decision);

/// A decision about the joint of two files. A pair has several candidate poses; `rank` counts them in the
/// order of assembly.json, the first is 0. Another pose of the same pair is chosen by locking it.
struct JointConstraint {
  std::string file_a;
  std::string file_b;
  int rank = 0;
  Decision decision = Decision::none;
};

/// All decisions. Names are file names without folders, so that they survive a move of the files.
struct Constraints {
  std::vector<JointConstraint> joints;
  std::vector<std::string> drop;  ///< fragments that do not belong here

  bool empty() const { return joints.empty() && drop.empty(); }
};

/// Strict: unknown decisions, ranks below zero and missing keys are errors that name the key.
Result<Constraints> parse_constraints(std::string_view text, const std::string& file);
std::string format_constraints(const Constraints& constraints);

/// The same decisions by number.
struct AppliedConstraints {
  std::vector<Decision> joints;  ///< one per joint
  std::vector<bool> dropped;     ///< one per part
};

/// The rank of every joint among those of its two parts, in the order given.
std::vector<int> joint_ranks(std::span<const Joint> joints);

/// Finds what the constraints name. A file or a candidate that is not there is Cause::mismatch; so are two
/// decisions about one joint, and two locked poses of one pair.
Result<AppliedConstraints> apply_constraints(std::span<const std::string> file_names,
                                             std::span<const Joint> joints, const Constraints& constraints);

/// assemble_many, with decisions: what is locked becomes one part for it, what is rejected or belongs to a
/// dropped part is not shown to it. The result has all parts and all joints. Locked joints in a circle must
/// agree (Cause::mismatch otherwise); one that only closes a circle is allowed.
Result<Assembly> assemble_constrained(std::span<const PartShape> parts, std::span<const Joint> joints,
                                      const AppliedConstraints& decisions, double object_size,
                                      const AssembleManyOptions& options, const Listener& listener = {});

}  // namespace pmtr
