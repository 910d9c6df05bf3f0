// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/pose_graph.h"

#include <cmath>

#include <fmt/format.h>
#include <Eigen/LU>

namespace pmtr {

Status PoseGraph::validate() const {
  if (nodes < 0) return Error{Cause::malformed, "a graph has no negative number of nodes", {}};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const PoseEdge& edge = edges[i];
    const auto wrong = [&](Cause cause, const char* what) {
      return Error{cause, fmt::format("edge {} ({} to {}): {}", i, edge.a, edge.b, what), {}};
    };
    if (edge.a < 0 || edge.b < 0 || edge.a >= nodes || edge.b >= nodes) {
      return wrong(Cause::malformed, "its ends are not nodes of the graph");
    }
    if (edge.a == edge.b) return wrong(Cause::malformed, "it joins a node with itself");
    if (!edge.a_from_b.rotation.allFinite() || !edge.a_from_b.translation.allFinite()) {
      return wrong(Cause::not_finite, "its pose is not finite");
    }
    const Eigen::Matrix3d& r = edge.a_from_b.rotation;
    if (!(r * r.transpose()).isIdentity(1e-6) || r.determinant() < 0) {
      return wrong(Cause::malformed, "its pose has no rotation");
    }
    for (const double weight : {edge.rotation_weight, edge.translation_weight}) {
      if (!std::isfinite(weight) || weight < 0)
        return wrong(Cause::malformed, "its weights are not positive");
    }
  }
  return {};
}

}  // namespace pmtr
