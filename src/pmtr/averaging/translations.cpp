// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/translations.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "pmtr/averaging/components.h"

namespace pmtr {

Result<TranslationAveraging> average_translations(const PoseGraph& graph,
                                                  std::span<const Eigen::Matrix3d> world_from_node) {
  PMTR_TRY_STATUS(graph.validate());
  PMTR_CHECK(world_from_node.size() == static_cast<std::size_t>(graph.nodes), "a rotation for every node");
  DisjointSets sets(graph.nodes);
  int trees = graph.nodes;
  for (const PoseEdge& edge : graph.edges) {
    if (edge.translation_weight > 0 && sets.join(edge.a, edge.b)) --trees;
  }
  if (trees > 1) return Error{Cause::degenerate, "the edges do not tie all translations together", {}};
  TranslationAveraging out;
  out.world_from_node.assign(static_cast<std::size_t>(graph.nodes), Eigen::Vector3d::Zero());
  double sum = 0;
  for (const PoseEdge& edge : graph.edges) sum += edge.translation_weight;
  if (graph.nodes > 1) {
    // The first node is fixed: rows and columns of the others make the matrix.
    const int n = graph.nodes - 1;
    std::vector<Eigen::Triplet<double>> triplets;
    Eigen::MatrixX3d right = Eigen::MatrixX3d::Zero(n, 3);
    for (const PoseEdge& edge : graph.edges) {
      if (edge.translation_weight <= 0) continue;
      const double k = edge.translation_weight * static_cast<double>(graph.edges.size()) / sum;
      const Eigen::Vector3d b_from_a =
          world_from_node[static_cast<std::size_t>(edge.a)] * edge.a_from_b.translation;
      for (const int end : {edge.a, edge.b}) {
        if (end == 0) continue;
        triplets.emplace_back(end - 1, end - 1, k);
        right.row(end - 1) += (end == edge.b ? k : -k) * b_from_a.transpose();
      }
      if (edge.a == 0 || edge.b == 0) continue;
      triplets.emplace_back(edge.a - 1, edge.b - 1, -k);
      triplets.emplace_back(edge.b - 1, edge.a - 1, -k);
    }
    Eigen::SparseMatrix<double> laplacian(n, n);
    laplacian.setFromTriplets(triplets.begin(), triplets.end());
    const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(laplacian);
    PMTR_CHECK(factor.info() == Eigen::Success, "the Laplacian of a connected graph is positive");
    const Eigen::MatrixX3d solution = factor.solve(Eigen::MatrixXd(right));
    for (int i = 0; i < n; ++i) out.world_from_node[static_cast<std::size_t>(i) + 1] = solution.row(i);
  }
  for (const PoseEdge& edge : graph.edges) {
    const auto a = static_cast<std::size_t>(edge.a);
    out.residual.push_back((out.world_from_node[static_cast<std::size_t>(edge.b)] - out.world_from_node[a] -
                            world_from_node[a] * edge.a_from_b.translation)
                               .norm());
  }
  return out;
}

}  // namespace pmtr
