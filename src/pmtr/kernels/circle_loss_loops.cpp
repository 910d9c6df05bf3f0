// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/circle_loss_loops.h"

#define PMTR_VECTOR_BYTES 32
#include "pmtr/kernels/simd.h"

namespace pmtr::kernels::PMTR_ISA {
namespace {

/// One vector of a row; beyond the last column it holds pairs that overlap but are not positive: weight 0.
template <class Real>
struct Entries {
  Vec<Real> distance, weight;
  bool any_overlap = false;

  PMTR_INLINE Entries(const CircleData<Real>& d, long at, long count) {
    Vec<Real> overlap;
    if (count >= lanes<Real>) {
      distance = load(d.distances + at);
      overlap = load(d.overlaps + at);
    } else {
      distance = Vec<Real>{};
      overlap = Vec<Real>{} - Real(1);
      for (long l = 0; l < count; ++l) {
        distance[l] = d.distances[at + l];
        overlap[l] = d.overlaps[at + l];
      }
    }
    for (long l = 0; l < lanes<Real>; ++l) any_overlap |= overlap[l] != 0;
    weight = d.negative_optimum - distance;
    weight = weight > 0 ? weight : Vec<Real>{};
    weight = overlap == 0 ? weight : Vec<Real>{};
  }
};

/// A pair that may be positive.
struct Positive {
  bool is = false;
  double weight = 0;
  double term = 0;  ///< exp of its exponent

  template <class Real>
  PMTR_INLINE Positive(const CircleData<Real>& d, long at) {
    if (!(d.overlaps[at] > d.positive_overlap)) return;
    is = true;
    const double distance = d.distances[at];
    if (distance > d.positive_optimum)
      weight = (distance - d.positive_optimum) * square_root(double(d.overlaps[at]));
    term = __builtin_exp(d.log_scale * (distance - d.positive_margin) * weight);
  }
};

}  // namespace

template <class Real>
void feature_distance(const Real* cosines, Real floor, long begin, long end, Real* distances) {
  long k = begin;
  for (; k + lanes<Real> <= end; k += lanes<Real>) {
    const Vec<Real> x = Real(2) - Real(2) * load(cosines + k);
    store<Real>(distances + k, square_root(x < floor ? splat(floor) : x));
  }
  for (; k < end; ++k) {
    const Real x = Real(2) - Real(2) * cosines[k];
    distances[k] = square_root(x < floor ? floor : x);
  }
}

template <class Real>
void feature_distance_reverse(const Real* distances, Real least, const Real* d_distances, long begin,
                              long end, Real* d_cosines) {
  long k = begin;
  for (; k + lanes<Real> <= end; k += lanes<Real>) {
    const Vec<Real> distance = load(distances + k);
    // The quotient is not kept where the floor is 0 and so is the distance.
    store<Real>(d_cosines + k, distance > least ? -load(d_distances + k) / distance : Vec<Real>{});
  }
  for (; k < end; ++k) d_cosines[k] = distances[k] > least ? -d_distances[k] / distances[k] : Real(0);
}

template <class Real>
void circle_sums(const CircleData<Real>& d, long begin, long end, const CircleSums<Real>& rows,
                 const CircleSums<Real>& columns) {
  for (long i = begin; i < end; ++i) {
    Vec<Real> sum = {};
    rows.positive[i] = rows.positives[i] = rows.overlapping[i] = 0;
    Real rest = 0;
    for (long j = 0; j < d.columns; j += lanes<Real>) {
      const long at = i * d.columns + j;
      const long count = d.columns - j;
      const Entries<Real> entries(d, at, count);
      const Vec<Real> term =
          exponential(d.log_scale * (d.negative_margin - entries.distance) * entries.weight);
      if (count >= lanes<Real>) {
        sum += term;
        store<Real>(columns.negative + j, load(columns.negative + j) + term);
        if (d.terms != nullptr) store(d.terms + at, term);
      } else {
        for (long l = 0; l < count; ++l) {
          rest += term[l];
          columns.negative[j + l] += term[l];
          if (d.terms != nullptr) d.terms[at + l] = term[l];
        }
      }
      if (!entries.any_overlap) continue;
      for (long l = 0; l < lanes<Real> && l < count; ++l) {
        if (d.overlaps[at + l] == 0) continue;
        rows.overlapping[i] += 1;
        columns.overlapping[j + l] += 1;
        const Positive positive(d, at + l);
        if (!positive.is) continue;
        rows.positives[i] += 1;
        columns.positives[j + l] += 1;
        rows.positive[i] += positive.term;
        columns.positive[j + l] += positive.term;
      }
    }
    Real parts[4];
    fold_heads<false>(sum, parts);
    rows.negative[i] = (parts[0] + parts[2]) + (parts[1] + parts[3]) + rest;
  }
}

template <class Real>
void circle_gradient(const CircleData<Real>& d, long begin, long end, const CircleFactors<Real>& rows,
                     const CircleFactors<Real>& columns) {
  for (long i = begin; i < end; ++i) {
    for (long j = 0; j < d.columns; j += lanes<Real>) {
      const long at = i * d.columns + j;
      const long count = d.columns - j;
      const Entries<Real> entries(d, at, count);
      if (count >= lanes<Real>) {
        const Vec<Real> factor = load(columns.negative + j) + rows.negative[i];
        store<Real>(d.terms + at, -(load(d.terms + at) * entries.weight * factor));
      } else {
        for (long l = 0; l < count; ++l)
          d.terms[at + l] *= -entries.weight[l] * (rows.negative[i] + columns.negative[j + l]);
      }
      if (!entries.any_overlap) continue;
      for (long l = 0; l < lanes<Real> && l < count; ++l) {
        const Positive positive(d, at + l);
        if (!positive.is) continue;
        const double factor = rows.positive[i] + columns.positive[j + l];
        d.terms[at + l] = static_cast<Real>(positive.term * positive.weight * factor);
      }
    }
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type
#define PMTR_INSTANTIATE(Real)                                                                         \
  template void feature_distance<Real>(const Real*, Real, long, long, Real*);                          \
  template void feature_distance_reverse<Real>(const Real*, Real, const Real*, long, long, Real*);     \
  template void circle_sums<Real>(const CircleData<Real>&, long, long, const CircleSums<Real>&,        \
                                  const CircleSums<Real>&);                                            \
  template void circle_gradient<Real>(const CircleData<Real>&, long, long, const CircleFactors<Real>&, \
                                      const CircleFactors<Real>&);
PMTR_INSTANTIATE(float)
PMTR_INSTANTIATE(double)
#undef PMTR_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace pmtr::kernels::PMTR_ISA
