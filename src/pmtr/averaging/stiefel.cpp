// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/stiefel.h"

#include <cmath>

#include <Eigen/Eigenvalues>

#include "pmtr/core/check.h"

namespace pmtr {

Eigen::Matrix<double, Eigen::Dynamic, 3> across_blocks(const Lifted& y, const Lifted& m) {
  PMTR_CHECK(y.rows() == m.rows() && y.cols() == m.cols(), "two points of the same space");
  Eigen::Matrix<double, Eigen::Dynamic, 3> blocks(y.rows(), 3);
  for (Eigen::Index i = 0; i < y.rows(); i += 3) {
    const Eigen::Matrix3d product = m.middleRows<3>(i) * y.middleRows<3>(i).transpose();
    blocks.middleRows<3>(i) = (product + product.transpose()) / 2;
  }
  return blocks;
}

Lifted tangent_part(const Lifted& y, const Lifted& v) {
  Lifted out = v;
  for (Eigen::Index i = 0; i < y.rows(); i += 3) {
    const Eigen::Matrix3d product = v.middleRows<3>(i) * y.middleRows<3>(i).transpose();
    out.middleRows<3>(i).noalias() -= (product + product.transpose()) / 2 * y.middleRows<3>(i);
  }
  return out;
}

Lifted on_manifold(const Lifted& y) {
  Lifted out = y;
  for (Eigen::Index i = 0; i < y.rows(); i += 3) {
    const Eigen::Matrix3d gram = y.middleRows<3>(i) * y.middleRows<3>(i).transpose();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(gram);
    out.middleRows<3>(i) = eigen.operatorInverseSqrt() * y.middleRows<3>(i);
  }
  return out;
}

Lifted random_lifted(int count, int rank, Random& random) {
  Lifted y(3 * count, rank);
  for (Eigen::Index i = 0; i < y.size(); ++i) y.data()[i] = random.normal();
  return on_manifold(y);
}

}  // namespace pmtr
