// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include "pmtr/averaging/pose_graph.h"

namespace pmtr {

/// What the triangles of a graph say of one edge.
struct CycleVotes {
  int triangles = 0;   ///< that the edge is part of
  int consistent = 0;  ///< that close to within the tolerance
};

/// Goes around every triangle of edges and looks at the angle that is left. Wrong edges hardly ever close one
/// by chance.
std::vector<CycleVotes> count_cycle_votes(const PoseGraph& graph, double tolerance_deg);

}  // namespace pmtr
