// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "pmtr/averaging/pose_graph.h"
#include "pmtr/averaging/stiefel.h"

namespace pmtr {

/// Rotation averaging as a quadratic form: f(R) = 1/2 sum k |R_b - R_a R_ab|^2 = 1/2 tr(Y^T L Y), where L is
/// the connection Laplacian (Dellaert et al. 2020). Weights are divided by their mean, so that no tolerance
/// depends on their unit; `scale` gives it back.
class ConnectionLaplacian {
 public:
  /// Every node has an edge with weight.
  explicit ConnectionLaplacian(const PoseGraph& graph);

  int count() const { return count_; }
  double scale() const { return scale_; }              ///< mean weight of the edges
  double mean_degree() const { return mean_degree_; }  ///< mean sum of weights at a node, in these units

  /// By the residuals, not by L: no digits cancel near zero.
  double cost(const Lifted& y) const;
  Lifted times(const Lifted& y) const { return matrix_ * y; }
  /// About the inverse of L, on the tangent space at y. Symmetric and positive.
  Lifted preconditioned(const Lifted& y, const Lifted& v) const;

  /// Lambda - Q at y: not negative at a critical point exactly if that is the best there is.
  Eigen::SparseMatrix<double> certificate_matrix(const Lifted& y) const;

 private:
  std::vector<PoseEdge> edges_;
  int count_;
  double scale_ = 1.0;
  double mean_degree_ = 1.0;
  Eigen::SparseMatrix<double, Eigen::RowMajor> matrix_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> regularised_;
};

/// Transposed rotations as blocks, with zero columns up to the rank.
Lifted lift(std::span<const Eigen::Matrix3d> rotations, int rank);

}  // namespace pmtr
