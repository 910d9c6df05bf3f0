// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/smallest_eigenvalue.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>

#include "pmtr/core/check.h"
#include "pmtr/core/random.h"

namespace pmtr {
namespace {

constexpr Eigen::Index dense_limit = 300;

SmallestEigenvalue by_whole_spectrum(const Eigen::SparseMatrix<double>& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen{Eigen::MatrixXd(matrix)};
  SmallestEigenvalue out;
  out.value = eigen.eigenvalues()[0];
  out.vector = eigen.eigenvectors().col(0);
  out.fourth = eigen.eigenvalues()[std::min<Eigen::Index>(3, matrix.rows() - 1)];
  out.shift = std::max(0.0, -out.value);
  return out;
}

}  // namespace

SmallestEigenvalue smallest_eigenvalue(const Eigen::SparseMatrix<double>& matrix, double least_shift) {
  PMTR_CHECK(matrix.rows() > 0 && matrix.rows() == matrix.cols() && least_shift > 0,
             "a square matrix and a shift");
  if (matrix.rows() <= dense_limit) return by_whole_spectrum(matrix);

  Eigen::SparseMatrix<double> identity(matrix.rows(), matrix.rows());
  identity.setIdentity();
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor;
  factor.analyzePattern(matrix);
  const auto positive = [&](double shift) {
    factor.factorize(matrix + shift * identity);
    return factor.info() == Eigen::Success;
  };
  SmallestEigenvalue out;
  out.shift = least_shift;
  if (!positive(least_shift)) {
    double too_small = least_shift;
    while (!positive(out.shift *= 10)) {
      too_small = out.shift;
      PMTR_CHECK(std::isfinite(out.shift), "some shift makes a finite matrix positive");
    }
    // The nearer the shift, the faster the iteration.
    for (int k = 0; k < 10; ++k) {
      const double middle = (too_small + out.shift) / 2;
      (positive(middle) ? out.shift : too_small) = middle;
    }
    positive(out.shift);
  }
  // Subspace iteration: the eigenvalues next to -shift grow fastest. Eight vectors, for three are null
  // vectors.
  constexpr Eigen::Index width = 8;
  Random random(matrix.rows());
  Eigen::MatrixXd basis(matrix.rows(), width);
  for (Eigen::Index i = 0; i < basis.size(); ++i) basis.data()[i] = random.normal();
  double last = INFINITY;
  for (int k = 0; k < 200; ++k) {
    basis = factor.solve(basis).eval();
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(basis);
    basis = qr.householderQ() * Eigen::MatrixXd::Identity(matrix.rows(), width);
    const Eigen::MatrixXd small = basis.transpose() * (matrix * basis);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen((small + small.transpose()) / 2);
    basis = (basis * eigen.eigenvectors()).eval();
    out.value = eigen.eigenvalues()[0];
    out.fourth = eigen.eigenvalues()[3];
    if (std::abs(out.fourth - last) <= 1e-3 * std::abs(out.fourth) && k >= 3) break;
    last = out.fourth;
  }
  out.vector = basis.col(0);
  return out;
}

}  // namespace pmtr
