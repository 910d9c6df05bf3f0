// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/rounding.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>

namespace pmtr {

Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& matrix) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Vector3d signs(1, 1, 1);
  signs[2] = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
  return svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
}

Rounded round_to_rotations(const Lifted& y) {
  const Eigen::Index p = y.cols();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(Eigen::MatrixXd(y.transpose() * y));
  Rounded out;
  for (Eigen::Index k = 0; k < p; ++k) {
    out.rank += eigen.eigenvalues()[k] > 1e-6 * eigen.eigenvalues()[p - 1] ? 1 : 0;
  }
  Eigen::MatrixXd projected = y * eigen.eigenvectors().rightCols(3);  // [3 N, 3]
  // A mirror image of all of them costs the same: the side with more rotations is meant.
  int proper = 0;
  for (Eigen::Index i = 0; i < y.rows(); i += 3)
    proper += projected.middleRows<3>(i).determinant() > 0 ? 1 : -1;
  if (proper < 0) projected.col(0) *= -1;
  for (Eigen::Index i = 0; i < y.rows(); i += 3) {
    out.rotations.push_back(nearest_rotation(projected.middleRows<3>(i).transpose()));
  }
  return out;
}

}  // namespace pmtr
