// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/spanning_tree.h"

#include <algorithm>
#include <numeric>

#include "pmtr/averaging/components.h"

namespace pmtr {

std::vector<int> heaviest_forest(const PoseGraph& graph) {
  std::vector<int> order(graph.edges.size());
  std::iota(order.begin(), order.end(), 0);
  const auto weight = [&](int e) { return graph.edges[static_cast<std::size_t>(e)].rotation_weight; };
  std::stable_sort(order.begin(), order.end(), [&](int e, int f) { return weight(e) > weight(f); });
  DisjointSets sets(graph.nodes);
  std::vector<int> forest;
  for (const int e : order) {
    const PoseEdge& edge = graph.edges[static_cast<std::size_t>(e)];
    if (edge.rotation_weight > 0 && sets.join(edge.a, edge.b)) forest.push_back(e);
  }
  return forest;
}

std::vector<Rigid3> poses_along_forest(const PoseGraph& graph, const std::vector<int>& forest) {
  const auto count = static_cast<std::size_t>(graph.nodes);
  std::vector<std::vector<int>> at(count);
  for (const int e : forest) {
    at[static_cast<std::size_t>(graph.edges[static_cast<std::size_t>(e)].a)].push_back(e);
    at[static_cast<std::size_t>(graph.edges[static_cast<std::size_t>(e)].b)].push_back(e);
  }
  std::vector<Rigid3> world_from(count);
  std::vector<bool> reached(count, false);
  for (int root = 0; root < graph.nodes; ++root) {
    if (reached[static_cast<std::size_t>(root)]) continue;
    reached[static_cast<std::size_t>(root)] = true;
    // Breadth first: the paths are short, and errors grow along a path.
    std::vector<int> queue = {root};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const int i = queue[next];
      for (const int e : at[static_cast<std::size_t>(i)]) {
        const PoseEdge& edge = graph.edges[static_cast<std::size_t>(e)];
        const int j = edge.a == i ? edge.b : edge.a;
        if (reached[static_cast<std::size_t>(j)]) continue;
        reached[static_cast<std::size_t>(j)] = true;
        const Rigid3 i_from_j = edge.a == i ? edge.a_from_b : edge.a_from_b.inverse();
        world_from[static_cast<std::size_t>(j)] = world_from[static_cast<std::size_t>(i)] * i_from_j;
        queue.push_back(j);
      }
    }
  }
  return world_from;
}

}  // namespace pmtr
