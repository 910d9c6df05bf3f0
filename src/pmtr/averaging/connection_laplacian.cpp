// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/connection_laplacian.h"

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

void add_block(Triplets& triplets, int i, int j, const Eigen::Matrix3d& block) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) triplets.emplace_back(3 * i + r, 3 * j + c, block(r, c));
  }
}

}  // namespace

ConnectionLaplacian::ConnectionLaplacian(const PoseGraph& graph) : count_(graph.nodes) {
  double sum = 0;
  for (const PoseEdge& edge : graph.edges) {
    if (edge.rotation_weight <= 0) continue;
    sum += edge.rotation_weight;
    edges_.push_back(edge);
  }
  PMTR_CHECK(!edges_.empty() && count_ > 1, "rotations are averaged over edges");
  scale_ = sum / static_cast<double>(edges_.size());
  mean_degree_ = 2.0 * static_cast<double>(edges_.size()) / count_;
  Triplets triplets;
  triplets.reserve(36 * edges_.size());
  for (PoseEdge& edge : edges_) {
    edge.rotation_weight /= scale_;
    const double k = edge.rotation_weight;
    // Blocks of Y are transposed rotations: R_b = R_a R_ab reads y_b = R_ab^T y_a.
    add_block(triplets, edge.a, edge.b, -k * edge.a_from_b.rotation);
    add_block(triplets, edge.b, edge.a, -k * edge.a_from_b.rotation.transpose());
    add_block(triplets, edge.a, edge.a, k * Eigen::Matrix3d::Identity());
    add_block(triplets, edge.b, edge.b, k * Eigen::Matrix3d::Identity());
  }
  matrix_.resize(3 * count_, 3 * count_);
  matrix_.setFromTriplets(triplets.begin(), triplets.end());
  // L itself is singular for perfect edges. The shift is well below the slowest way in which a graph bends.
  Eigen::SparseMatrix<double> shifted = matrix_;
  for (int i = 0; i < 3 * count_; ++i) shifted.coeffRef(i, i) += 1e-5 * mean_degree_;
  regularised_.compute(shifted);
  PMTR_CHECK(regularised_.info() == Eigen::Success, "a Laplacian is not negative");
}

double ConnectionLaplacian::cost(const Lifted& y) const {
  double sum = 0;
  for (const PoseEdge& edge : edges_) {
    sum += edge.rotation_weight *
           (y.middleRows<3>(3 * edge.b) - edge.a_from_b.rotation.transpose() * y.middleRows<3>(3 * edge.a))
               .squaredNorm();
  }
  return sum / 2;
}

Lifted ConnectionLaplacian::preconditioned(const Lifted& y, const Lifted& v) const {
  const Eigen::MatrixXd columns = v;
  return tangent_part(y, Lifted(regularised_.solve(columns)));
}

Eigen::SparseMatrix<double> ConnectionLaplacian::certificate_matrix(const Lifted& y) const {
  // L - sym(L Y Y^T) = D - Q - (D - Lambda) = Lambda - Q.
  const auto blocks = across_blocks(y, times(y));
  Eigen::SparseMatrix<double> out = matrix_;
  for (int i = 0; i < count_; ++i) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) out.coeffRef(3 * i + r, 3 * i + c) -= blocks(3 * i + r, c);
    }
  }
  return out;
}

Lifted lift(std::span<const Eigen::Matrix3d> rotations, int rank) {
  PMTR_CHECK(rank >= 3, "a rotation has rank 3");
  Lifted y = Lifted::Zero(3 * static_cast<Eigen::Index>(rotations.size()), rank);
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    y.block<3, 3>(3 * static_cast<Eigen::Index>(i), 0) = rotations[i].transpose();
  }
  return y;
}

}  // namespace pmtr
