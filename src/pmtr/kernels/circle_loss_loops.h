// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

namespace pmtr::kernels {

/// Four numbers per row or per column, as arrays. What concerns positives is double: they are few, and their
/// exponents large.
template <class Real>
struct CircleSums {
  Real* negative = nullptr;     ///< of exp(exponent) of N over all entries: those that are not negative add 1
  double* positive = nullptr;   ///< of exp(exponent) of P over the positives: the others' 1 is not in it
  double* positives = nullptr;  ///< their number
  double* overlapping = nullptr;  ///< number of entries that are not negative
};

/// log_scale times the derivative of the loss by P or N of a row or column, divided by the sum under its log.
template <class Real>
struct CircleFactors {
  double* positive = nullptr;
  Real* negative = nullptr;
};

template <class Real>
struct CircleData {
  long columns = 0;
  const Real* distances = nullptr;
  const Real* overlaps = nullptr;
  Real positive_overlap = 0;
  Real positive_margin = 0;
  Real negative_margin = 0;
  Real positive_optimum = 0;
  Real negative_optimum = 0;
  Real log_scale = 0;
  Real* terms =
      nullptr;  ///< the exponentials of N, kept for the gradient, which then takes their place; or null
};

// Entries or rows [begin, end). circle_sums writes the sums of these rows and adds to those of the columns.
// `least` is the distance at the floor.
#define PMTR_CIRCLE_LOOPS                                                                                   \
  template <class Real>                                                                                     \
  void feature_distance(const Real* cosines, Real floor, long begin, long end, Real* distances);            \
  template <class Real>                                                                                     \
  void feature_distance_reverse(const Real* distances, Real least, const Real* d_distances, long begin,     \
                                long end, Real* d_cosines);                                                 \
  template <class Real>                                                                                     \
  void circle_sums(const CircleData<Real>& data, long begin, long end, const CircleSums<Real>& rows,        \
                   const CircleSums<Real>& columns);                                                        \
  template <class Real>                                                                                     \
  void circle_gradient(const CircleData<Real>& data, long begin, long end, const CircleFactors<Real>& rows, \
                       const CircleFactors<Real>& columns);

namespace portable {
PMTR_CIRCLE_LOOPS
}
namespace avx2 {
PMTR_CIRCLE_LOOPS
}
#undef PMTR_CIRCLE_LOOPS

}  // namespace pmtr::kernels
