// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/components.h"

#include <algorithm>
#include <numeric>

#include "pmtr/core/check.h"

namespace pmtr {

DisjointSets::DisjointSets(int count) : parent_(static_cast<std::size_t>(count)) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

int DisjointSets::find(int i) {
  while (parent_[static_cast<std::size_t>(i)] != i) {
    int& up = parent_[static_cast<std::size_t>(i)];
    up = parent_[static_cast<std::size_t>(up)];
    i = up;
  }
  return i;
}

bool DisjointSets::join(int i, int j) {
  const int a = find(i);
  const int b = find(j);
  // The smaller number stays, so that the result does not depend on the order of joins.
  parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  return a != b;
}

std::vector<int> connected_components(const PoseGraph& graph) {
  DisjointSets sets(graph.nodes);
  for (const PoseEdge& edge : graph.edges) {
    if (edge.rotation_weight > 0) sets.join(edge.a, edge.b);
  }
  const auto count = static_cast<std::size_t>(graph.nodes);
  std::vector<int> size(count, 0);
  std::vector<int> roots;
  for (int i = 0; i < graph.nodes; ++i) {
    if (sets.find(i) == i) roots.push_back(i);
    ++size[static_cast<std::size_t>(sets.find(i))];
  }
  std::stable_sort(roots.begin(), roots.end(), [&](int a, int b) {
    return size[static_cast<std::size_t>(a)] > size[static_cast<std::size_t>(b)];
  });
  std::vector<int> number(count, -1);
  for (std::size_t k = 0; k < roots.size(); ++k)
    number[static_cast<std::size_t>(roots[k])] = static_cast<int>(k);
  std::vector<int> component_of(count);
  for (int i = 0; i < graph.nodes; ++i) {
    component_of[static_cast<std::size_t>(i)] = number[static_cast<std::size_t>(sets.find(i))];
  }
  return component_of;
}

Subgraph component_subgraph(const PoseGraph& graph, const std::vector<int>& component_of, int component) {
  PMTR_CHECK(component_of.size() == static_cast<std::size_t>(graph.nodes), "a component for every node");
  Subgraph out;
  std::vector<int> index(component_of.size(), -1);
  for (int i = 0; i < graph.nodes; ++i) {
    if (component_of[static_cast<std::size_t>(i)] != component) continue;
    index[static_cast<std::size_t>(i)] = static_cast<int>(out.nodes.size());
    out.nodes.push_back(i);
  }
  out.graph.nodes = static_cast<int>(out.nodes.size());
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    PoseEdge edge = graph.edges[e];
    edge.a = index[static_cast<std::size_t>(edge.a)];
    edge.b = index[static_cast<std::size_t>(edge.b)];
    if (edge.a < 0 || edge.b < 0) continue;
    out.graph.edges.push_back(edge);
    out.edges.push_back(static_cast<int>(e));
  }
  return out;
}

}  // namespace pmtr
