// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The loops of circle_loss, compiled once per instruction set (kernels/cpu.h).

#include "pmtr/kernels/circle_loss_loops.h"
#include "pmtr/kernels/pmt_vector.h"

namespace pmtr::kernels::PMTR_ISA {
namespace {

PMTR_INLINE float root(float x) { return __builtin_sqrtf(x); }
PMTR_INLINE double root(double x) { return __builtin_sqrt(x); }

/// One vector of a row; beyond the last column it holds pairs that overlap but are not positive: weight 0.
template <class Real>
struct Entries {
  Vec<Real> distance, weight;
  bool any_overlap = false;

  PMTR_INLINE Entries(const CircleData<Real>& d, long at, long count) {
    Vec<Real> overlap;
    if (count >= lanes<Real>) {
      load(d.distances + at, distance);
      load(d.overlaps + at, overlap);
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
      weight = (distance - d.positive_optimum) * root(double(d.overlaps[at]));
    term = __builtin_exp(d.log_scale * (distance - d.positive_margin) * weight);
  }
};

}  // namespace

template <class Real>
void feature_distance(const Real* cosines, Real floor, long begin, long end, Real* distances) {
  long k = begin;
  for (; k + lanes<Real> <= end; k += lanes<Real>) {
    Vec<Real> x;
    load(cosines + k, x);
    x = Real(2) - Real(2) * x;
    x = x < floor ? floor - Vec<Real>{} : x;
    square_root(x);
    store(distances + k, x);
  }
  for (; k < end; ++k) {
    const Real x = Real(2) - Real(2) * cosines[k];
    distances[k] = root(x < floor ? floor : x);
  }
}

template <class Real>
void feature_distance_reverse(const Real* distances, Real least, const Real* d_distances, long begin,
                              long end, Real* d_cosines) {
  long k = begin;
  for (; k + lanes<Real> <= end; k += lanes<Real>) {
    Vec<Real> distance;
    Vec<Real> d;
    load(distances + k, distance);
    load(d_distances + k, d);
    // The quotient is not kept where the floor is 0 and so is the distance.
    d = distance > least ? -d / distance : Vec<Real>{};
    store(d_cosines + k, d);
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
      Vec<Real> term = d.log_scale * (d.negative_margin - entries.distance) * entries.weight;
      exponential(term);
      if (count >= lanes<Real>) {
        sum += term;
        Vec<Real> below;
        load(columns.negative + j, below);
        store<Real>(columns.negative + j, below + term);
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
        Vec<Real> term;
        Vec<Real> factor;
        load(d.terms + at, term);
        load(columns.negative + j, factor);
        factor += rows.negative[i];
        store<Real>(d.terms + at, -(term * entries.weight * factor));
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
