// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/pose/joint.h"

namespace pmtr {

/// Where one fragment goes.
struct PlacedPart {
  bool placed = false;
  bool anchor = false;  ///< stays where its file has it; the others move to it
  int component = -1;   ///< parts that are joined, directly or through others; -1: joined to nothing
  Rigid3 world_from_part;
  double confidence = 0.0;
  /// Share of its breaks that no other part covers; nothing where that was not measured. A missing piece
  /// leaves its neighbours open.
  std::optional<double> open_share;
};

/// How far a joint may be believed.
enum class Band {
  confirmed,  ///< the surfaces fit, and nearly every witness agrees
  probable,   ///< more likely right than wrong
  rejected,   ///< the rest
};
const char* band_name(Band band);

/// Why a joint is part of the assembly, or is not.
enum class JointFate {
  used,         ///< holds the assembly together
  spare,        ///< agrees, but another joint of the same two parts says the same with more evidence
  weak,         ///< too little speaks for it, and it does not agree with others
  contradicts,  ///< its parts stand in another way, for which more speaks
  unjoined,     ///< likely by itself, but its parts were not joined: they cannot stand like this
};
const char* fate_name(JointFate fate);

/// What became of one joint.
struct JointVerdict {
  JointFate fate = JointFate::weak;
  /// How far the result is from the joint's own pose; nothing where the parts are not in one component.
  std::optional<double> residual_deg;
  std::optional<double> residual_shift;  ///< between the two parts
};

/// How far the poses are from the best that the joints allow.
struct Certificate {
  bool optimal = false;
  double min_eigenvalue = 0.0;
  double cost = 0.0;
  int rank = 0;
};

/// What solve_joints makes of joints. Everything is in the coordinates of the joints it was made of: object
/// units inside the library, the input's in its results.
struct Assembly {
  std::vector<PlacedPart> parts;  ///< one per fragment, in the given order
  std::vector<Joint> joints;
  std::vector<JointVerdict> verdicts;      ///< one per joint, or empty for a single joint
  std::optional<double> open_share;        ///< of all breaks of placed parts, how much nothing covers
  std::optional<Certificate> certificate;  ///< only where there was a choice: not for a single joint
};

/// One fragment alone: it is already where it belongs.
Assembly lone_fragment();

/// The confidence of every part from those of used joints: it is where it belongs if a chain of right joints
/// ties it to the anchor of its component. The surest chain counts. An anchor that is itself hardly tied to
/// anything says nothing of the others: they are then rated by the surest joint of the component.
void rate_parts(Assembly& assembly);

/// Tells what holds together so far, for who watches the work.
void tell_groups(const Assembly& assembly, const Listener& listener);

}  // namespace pmtr
