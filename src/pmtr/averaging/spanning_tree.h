// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include "pmtr/averaging/pose_graph.h"

namespace pmtr {

/// Indices of the edges of a spanning forest with the largest sum of rotation weights; of equal ones the
/// first. Edges without weight are left out.
std::vector<int> heaviest_forest(const PoseGraph& graph);

/// Poses from the edges of a forest alone: the smallest node of each tree stands at the origin.
std::vector<Rigid3> poses_along_forest(const PoseGraph& graph, const std::vector<int>& forest);

}  // namespace pmtr
