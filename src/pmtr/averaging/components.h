// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <utility>
#include <vector>

#include "pmtr/averaging/pose_graph.h"

namespace pmtr {

/// Sets that only ever grow together.
class DisjointSets {
 public:
  explicit DisjointSets(int count);
  int find(int i);
  /// False if they were one set already.
  bool join(int i, int j);

 private:
  std::vector<int> parent_;
};

/// The component of each node, numbered by size (largest first), then by smallest node. Edges without
/// rotation weight do not count.
std::vector<int> connected_components(const PoseGraph& graph);

/// One component as a graph of its own; `nodes` gives the original number of each of its nodes.
struct Subgraph {
  PoseGraph graph;
  std::vector<int> nodes;
  std::vector<int> edges;
};
Subgraph component_subgraph(const PoseGraph& graph, const std::vector<int>& component_of, int component);

}  // namespace pmtr
