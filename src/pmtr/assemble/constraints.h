// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/pose/joint.h"

namespace pmtr {

/// What a person decided about a joint.
enum class Decision {
  none,
  lock,    ///< its two parts stand like this, whatever speaks against it
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

/// A fragment that a person put somewhere by hand: beside another one, so that it goes where that one goes.
struct HandPlacement {
  std::string fragment;
  std::string on;  ///< the one that it stands on
  Rigid3 on_from_fragment;
  bool group = false;  ///< what it was joined to comes along; else it is taken out of there
};

/// All decisions. Names are file names without folders, so that they survive a move of the files.
struct Constraints {
  std::vector<JointConstraint> joints;
  std::vector<std::string> drop;  ///< fragments that do not belong here
  std::vector<HandPlacement> placed = {};

  bool empty() const { return joints.empty() && drop.empty() && placed.empty(); }
};

/// Strict: unknown decisions, ranks below zero and missing keys are errors that name the key.
Result<Constraints> parse_constraints(std::string_view text, const std::string& file);
std::string format_constraints(const Constraints& constraints);

/// HandPlacement by number.
struct AppliedPlacement {
  int part = 0;
  int on = 0;
  Rigid3 on_from_part;
  bool group = false;
};

/// The same decisions by number.
struct AppliedConstraints {
  std::vector<Decision> joints;  ///< one per joint
  std::vector<bool> dropped;     ///< one per part
  std::vector<AppliedPlacement> placed;

  /// Did a person put this part where it stands?
  bool is_placed(int part) const;

  bool none() const;  ///< nobody decided anything; the lists may be empty then
};

/// The rank of every joint among those of its two parts, in the order given.
std::vector<int> joint_ranks(std::span<const Joint> joints);

/// Finds what the constraints name. A file or a candidate that is not there is Cause::mismatch; so are two
/// decisions about one joint, two locked poses of one pair, and a fragment that is put in two places, onto
/// itself or onto what is left out.
Result<AppliedConstraints> apply_constraints(std::span<const std::string> file_names,
                                             std::span<const Joint> joints, const Constraints& constraints);

}  // namespace pmtr
