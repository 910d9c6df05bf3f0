// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/kernels/gemm.h"

namespace pmtr::kernels {

/// The serial parts of the matrix product, compiled once per instruction set.
template <class Real>
struct GemmLoops {
  std::int64_t panel_columns;
  std::int64_t multiply_scratch;  // numbers of scratch wanted when the columns of A are not contiguous
  std::int64_t long_scratch;

  /// Panels [first, last) of b into `packed`, which holds depth x (columns rounded up to whole panels).
  void (*pack)(const MatrixView<Real>& b, std::int64_t first, std::int64_t last, Real* packed);
  void (*multiply)(const MatrixView<Real>& a, const Real* packed, std::int64_t columns,
                   const GemmTarget<Real>& c, Real* scratch);
  /// C = A B without packing B first, C [rows of A, columns of B] contiguous: for few rows and a long depth.
  void (*multiply_long)(const MatrixView<Real>& a, const MatrixView<Real>& b, Real* c, Real* scratch);
  /// out[c] = sum of a[r * columns + c] over rows [begin, end).
  void (*sum_rows)(const Real* a, std::int64_t begin, std::int64_t end, std::int64_t columns, Real* out);
  /// out[i] = sum over parts, in order, of partial[part * step + i], for i in [begin, end).
  void (*add_parts)(const Real* partial, std::int64_t parts, std::int64_t step, std::int64_t begin,
                    std::int64_t end, Real* out);
};

namespace portable {
template <class Real>
const GemmLoops<Real>& gemm_loops();
}
namespace avx2 {
template <class Real>
const GemmLoops<Real>& gemm_loops();
}

}  // namespace pmtr::kernels
