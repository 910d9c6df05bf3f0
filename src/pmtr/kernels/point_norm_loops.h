// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

namespace pmtr::kernels {

template <class Real>
struct PointNormData {
  long factors = 0;
  long channels = 0;
  Real epsilon = 0;
  Real slope = 0;
  const Real* input = nullptr;
  const Real* weight = nullptr;
  const Real* bias = nullptr;
  Real* output = nullptr;
  const Real* d_output = nullptr;
  Real* d_input = nullptr;
};

// Rows or points [begin, end). point_norm_reverse adds to d_weight and d_bias [channels].
#define PMTR_POINT_NORM_LOOPS                                                                             \
  template <class Real>                                                                                   \
  void l2_normalise(const Real* input, long channels, long begin, long end, Real* output);                \
  template <class Real>                                                                                   \
  void l2_normalise_reverse(const Real* input, long channels, const Real* d_output, long begin, long end, \
                            Real* d_input);                                                               \
  template <class Real>                                                                                   \
  void point_norm(const PointNormData<Real>& data, long begin, long end);                                 \
  template <class Real>                                                                                   \
  void point_norm_reverse(const PointNormData<Real>& data, long begin, long end, Real* d_weight,          \
                          Real* d_bias);

namespace portable {
PMTR_POINT_NORM_LOOPS
}
namespace avx2 {
PMTR_POINT_NORM_LOOPS
}
#undef PMTR_POINT_NORM_LOOPS

}  // namespace pmtr::kernels
