// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

namespace pmtr::kernels {

/// One patch with its dustbins, ready for the loops. Strides are the counts rounded up to 4; in the padding
/// the kernels are 1 and the masses 0, so that padded scalings stay 0.
struct TransportProblem {
  long rows = 0;
  long columns = 0;
  long row_stride = 0;
  long column_stride = 0;
  const double* kernel = nullptr;             ///< exp(Z - max Z), [rows, column_stride]
  const double* kernel_transposed = nullptr;  ///< [columns, row_stride]
  const double* row_mass = nullptr;           ///< [row_stride]
  const double* column_mass = nullptr;        ///< [column_stride]
};

// `scale` fills the scalings a [1 + iterations, row_stride] and b [1 + iterations, column_stride] from row 1
// on (b's row 0 is given) and returns the number of iterations done. `unscale` is its reverse sweep from the
// gradients of the last u and v; d_v is overwritten, x and w are scratch of the shapes of b and a. The
// gradient of Z is that of the output minus kernel * weight.
#define PMTR_TRANSPORT_LOOPS                                                                          \
  int scale(const TransportProblem& problem, int iterations, double tolerance, double* a, double* b); \
  void unscale(const TransportProblem& problem, int iterations, const double* a, const double* b,     \
               const double* d_u, double* d_v, double* x, double* w, double* weight);

namespace portable {
PMTR_TRANSPORT_LOOPS
}
namespace avx2 {
PMTR_TRANSPORT_LOOPS
}
#undef PMTR_TRANSPORT_LOOPS

}  // namespace pmtr::kernels
