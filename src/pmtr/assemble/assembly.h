// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>
#include <vector>

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
};

/// How far the poses are from the best that the joints allow.
struct Certificate {
  bool optimal = false;
  double min_eigenvalue = 0.0;
  double cost = 0.0;
  int rank = 0;
};

struct Assembly {
  std::vector<PlacedPart> parts;  ///< one per fragment, in the given order
  std::vector<Joint> joints;
  std::optional<Certificate> certificate;  ///< only where there was a choice: not for a single joint
};

/// Two fragments and at most one joint between them. The one with the larger surface is the anchor.
Assembly assemble_two(const std::optional<Joint>& joint, double area_0, double area_1);

}  // namespace pmtr
