// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/cycle_votes.h"

#include <algorithm>

namespace pmtr {

std::vector<CycleVotes> count_cycle_votes(const PoseGraph& graph, double tolerance_deg) {
  struct Half {
    int node;
    int edge;
  };
  std::vector<std::vector<Half>> at(static_cast<std::size_t>(graph.nodes));
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const PoseEdge& edge = graph.edges[e];
    at[static_cast<std::size_t>(edge.a)].push_back({edge.b, static_cast<int>(e)});
    at[static_cast<std::size_t>(edge.b)].push_back({edge.a, static_cast<int>(e)});
  }
  const auto from_to = [&](const Half& half) -> Eigen::Matrix3d {
    const PoseEdge& edge = graph.edges[static_cast<std::size_t>(half.edge)];
    return edge.b == half.node ? edge.a_from_b.rotation : Eigen::Matrix3d(edge.a_from_b.rotation.transpose());
  };
  std::vector<CycleVotes> votes(graph.edges.size());
  for (int i = 0; i < graph.nodes; ++i) {
    for (const Half& ij : at[static_cast<std::size_t>(i)]) {
      if (ij.node < i) continue;
      for (const Half& jk : at[static_cast<std::size_t>(ij.node)]) {
        if (jk.node < ij.node || jk.node == i) continue;
        const Eigen::Matrix3d i_from_k = from_to(ij) * from_to(jk);
        for (const Half& ik : at[static_cast<std::size_t>(i)]) {
          if (ik.node != jk.node) continue;
          const bool closes = rotation_angle_deg(i_from_k, from_to(ik)) <= tolerance_deg;
          for (const int e : {ij.edge, jk.edge, ik.edge}) {
            ++votes[static_cast<std::size_t>(e)].triangles;
            votes[static_cast<std::size_t>(e)].consistent += closes ? 1 : 0;
          }
        }
      }
    }
  }
  return votes;
}

}  // namespace pmtr
