// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"

namespace pmtr {

/// A measured relative pose. Poses agree with it where world_from_b = world_from_a * a_from_b.
struct PoseEdge {
  int a = 0;
  int b = 0;
  Rigid3 a_from_b;
  double rotation_weight = 1.0;     ///< 1 / variance of the angle, or anything that grows with evidence
  double translation_weight = 1.0;  ///< the same for the translation
};

/// Unknown poses 0 .. nodes-1 and what was measured between them. Several edges may join the same two nodes.
struct PoseGraph {
  int nodes = 0;
  std::vector<PoseEdge> edges;

  /// Ends in range and different, rotations that are rotations, weights that are finite and not negative.
  Status validate() const;
};

}  // namespace pmtr
