// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>

#include "pmtr/core/rigid3.h"
#include "pmtr/pose/joint_evidence.h"

namespace pmtr {

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
  bool used = false;  ///< does it hold the assembly together
};

}  // namespace pmtr
