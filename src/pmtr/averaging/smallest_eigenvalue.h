// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace pmtr {

/// The lower end of the spectrum of a symmetric matrix.
struct SmallestEigenvalue {
  double value = 0.0;
  Eigen::VectorXd vector;  ///< of length 1
  double fourth = 0.0;     ///< the fourth smallest: of a certificate matrix, how stiff the graph is
  /// The matrix plus this times the identity is positive: proven by a Cholesky factor (large matrices) or by
  /// the spectrum itself.
  double shift = 0.0;
};

/// Up to 300 rows by the whole spectrum; above, by inverse iteration with a sparse Cholesky factor of the
/// matrix plus a shift: least_shift, or if that does not make it positive, little more than it takes.
SmallestEigenvalue smallest_eigenvalue(const Eigen::SparseMatrix<double>& matrix, double least_shift);

}  // namespace pmtr
