// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>

#include "pmtr/core/rigid3.h"
#include "pmtr/pose/contact.h"

namespace pmtr {

/// Two fragments that belong side by side, with what speaks for it. Coordinates and lengths are those of the
/// input files.
struct Joint {
  int a = 0;
  int b = 0;
  Rigid3 a_from_b;
  double confidence = 0.0;         ///< 0 to 1; the share of matched score that agrees with the pose
  int matches = 0;                 ///< correspondences that agree with the pose
  std::optional<Contact> contact;  ///< absent where a surface has no normals
  bool used = false;               ///< does it hold the assembly together
};

}  // namespace pmtr
