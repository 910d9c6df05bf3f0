// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

#include "pmtr/core/threads.h"
#include "pmtr/kernels/scratch.h"

namespace pmtr::kernels {

/// A matrix in memory: element (r, c) is data[r * row_step + c * column_step].
template <class Real>
struct MatrixView {
  const Real* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_step;
  std::int64_t column_step;

  MatrixView transposed() const { return {data, columns, rows, column_step, row_step}; }
  MatrixView row_range(std::int64_t begin, std::int64_t end) const {
    return {data + begin * row_step, end - begin, columns, row_step, column_step};
  }
  MatrixView column_range(std::int64_t begin, std::int64_t end) const {
    return {data + begin * column_step, rows, end - begin, row_step, column_step};
  }
};

template <class Real>
MatrixView<Real> row_major(const Real* data, std::int64_t rows, std::int64_t columns) {
  return {data, rows, columns, columns, 1};
}

/// Where a product goes: row r of C at data + r * row_step. With accumulate, C += A B. The bias, one number
/// per column, is added once if given.
template <class Real>
struct GemmTarget {
  Real* data;
  std::int64_t row_step;
  const Real* bias = nullptr;
  bool accumulate = false;
};

template <class Real>
struct GemmLoops;

/// The right factor B [depth, columns], rearranged once into the order in which the multiplication reads it.
template <class Real>
class PackedMatrix {
 public:
  PackedMatrix(const MatrixView<Real>& b, Threads& threads);

  std::int64_t depth() const { return depth_; }
  std::int64_t columns() const { return columns_; }

  /// C = A B on the calling thread: for use inside parallel_for.
  void multiply(const MatrixView<Real>& a, const GemmTarget<Real>& c) const;

 private:
  const GemmLoops<Real>* loops_;
  std::int64_t depth_;
  std::int64_t columns_;
  Scratch<Real> panels_;
};

/// C [M, N] = A [M, K] B [K, N]. Every element is summed in an order that depends on the shapes alone: the
/// same bits with any number of threads. C must not overlap A or B.
template <class Real>
void gemm(const MatrixView<Real>& a, const MatrixView<Real>& b, const GemmTarget<Real>& c, Threads& threads);

/// out [columns] = the sum of the rows of a row-major [rows, columns]; same bits with any number of threads.
template <class Real>
void sum_rows(const Real* a, std::int64_t rows, std::int64_t columns, Real* out, Threads& threads);

}  // namespace pmtr::kernels
