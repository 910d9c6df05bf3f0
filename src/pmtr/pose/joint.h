// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>

#include "pmtr/core/rigid3.h"
#include "pmtr/pose/joint_evidence.h"

namespace pmtr {

/// What else speaks for a joint than how well its two surfaces fit: questions that are answered with yes or
/// no, because that carries over from one collection to the next where fitted thresholds do not.
struct JointWitnesses {
  double surface = 0.0;   ///< log odds by how well the two surfaces fit
  double margin = 0.0;    ///< log odds by which it is better than the best pose that contradicts it
  double matched = -1.0;  ///< share of the matches between the two breaks that agree; below 0: none were made
  int thirds = 0;         ///< fragments that fit both of its own where they stand
  double covered = 0.0;   ///< of the less covered of the two breaks, by all neighbours together
  double stiffness = 0.0;  ///< how well the contact holds the weakest of the six motions; 0: not at all
  int alternatives = 1;    ///< pairs of fragments that were looked at, over the number of fragments

  bool stands_out() const { return margin >= 2.0; }
  bool has_matches() const { return matched >= 0.0; }
  bool matches_agree() const { return !has_matches() || matched >= 0.05; }
  bool third_agrees() const { return thirds > 0; }
  bool is_covered() const { return covered >= 0.5; }
  bool is_fixed() const { return stiffness >= 0.002; }
};

/// Calls visit(name, member) for every number, so that files of results keep them all.
template <class Witnesses, class Visit>
void for_each_witness(Witnesses& witnesses, const Visit& visit) {
  visit("surface", witnesses.surface);
  visit("margin", witnesses.margin);
  visit("matched", witnesses.matched);
  visit("thirds", witnesses.thirds);
  visit("covered", witnesses.covered);
  visit("stiffness", witnesses.stiffness);
  visit("alternatives", witnesses.alternatives);
}

/// Two fragments that belong side by side, with what speaks for it. Coordinates and lengths are object units
/// inside the library, and those of the input files in its results.
struct Joint {
  int a = 0;
  int b = 0;
  Rigid3 a_from_b;
  /// That the pose is right, 0 to 1: fitted to what the surfaces say, or, for a pose that was made of matches
  /// alone, the share of matched score that agrees with it.
  double confidence = 0.0;
  int matches = 0;  ///< correspondences that agree with the pose
  /// What the surfaces say: of a used joint where its parts stand in the end, of others at their own pose.
  /// Absent where a surface has no normals.
  std::optional<JointEvidence> evidence;
  std::optional<JointWitnesses> witnesses;  ///< absent where nobody was asked
  bool used = false;                        ///< does it hold the assembly together
};

}  // namespace pmtr
