// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Vectors for the loop bodies of the Proxy Match Transform; include it after PMTR_ISA is defined. Always 32
// bytes, so that the four heads fit a whole number of times; where registers are shorter the compiler splits.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace pmtr::kernels::PMTR_ISA {
namespace {

#define PMTR_INLINE inline __attribute__((always_inline))

template <class Real>
struct Simd;
template <>
struct Simd<float> {
  typedef float Vec __attribute__((vector_size(32)));
  typedef float Loose __attribute__((vector_size(32), aligned(4), may_alias));
  typedef float Heads __attribute__((vector_size(16), aligned(4), may_alias));
  typedef int Bits __attribute__((vector_size(32)));
};
template <>
struct Simd<double> {
  typedef double Vec __attribute__((vector_size(32)));
  typedef double Loose __attribute__((vector_size(32), aligned(8), may_alias));
};

template <class Real>
using Vec = typename Simd<Real>::Vec;
template <class Real>
constexpr long lanes = 32 / sizeof(Real);
/// How many edges with their four heads fit a vector.
template <class Real>
constexpr long edges_per_vec = lanes<Real> / 4;

// Vectors go by reference: by value the portable build would warn about the calling convention.
template <class Real>
PMTR_INLINE void load(const Real* from, Vec<Real>& v) {
  v = *reinterpret_cast<const typename Simd<Real>::Loose*>(from);
}
template <class Real>
PMTR_INLINE void store(Real* to, const Vec<Real>& v) {
  *reinterpret_cast<typename Simd<Real>::Loose*>(to) = v;
}
template <class Real>
PMTR_INLINE void splat(Real x, Vec<Real>& v) {
  v = x - Vec<Real>{};
}

/// Four numbers, one per head, repeated over the vector.
PMTR_INLINE void repeat_heads(const float* from, Vec<float>& v) {
  const Simd<float>::Heads h = *reinterpret_cast<const Simd<float>::Heads*>(from);
  v = __builtin_shufflevector(h, h, 0, 1, 2, 3, 0, 1, 2, 3);
}
PMTR_INLINE void repeat_heads(const double* from, Vec<double>& v) { load(from, v); }

/// to[h] (+)= the sum over the vector's lanes of head h.
template <bool add>
PMTR_INLINE void fold_heads(const Vec<float>& v, float* to) {
  Simd<float>::Heads sum =
      __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  if (add) sum += *reinterpret_cast<Simd<float>::Heads*>(to);
  *reinterpret_cast<Simd<float>::Heads*>(to) = sum;
}
template <bool add>
PMTR_INLINE void fold_heads(const Vec<double>& v, double* to) {
  Vec<double> sum = v;
  if (add) sum += *reinterpret_cast<Simd<double>::Loose*>(to);
  store(to, sum);
}

/// In each group of four lanes, lane K everywhere.
template <int K>
PMTR_INLINE void spread(const Vec<float>& v, Vec<float>& out) {
  out = __builtin_shufflevector(v, v, K, K, K, K, K + 4, K + 4, K + 4, K + 4);
}
template <int K>
PMTR_INLINE void spread(const Vec<double>& v, Vec<double>& out) {
  out = __builtin_shufflevector(v, v, K, K, K, K);
}

template <class Real>
PMTR_INLINE void keep_larger(const Vec<Real>& a, Vec<Real>& v) {
  v = a > v ? a : v;
}

PMTR_INLINE void square_root(Vec<float>& x) {
#if defined(__AVX2__)
  x = _mm256_sqrt_ps(x);
#else
  for (long l = 0; l < 8; ++l) x[l] = __builtin_sqrtf(x[l]);
#endif
}
PMTR_INLINE void square_root(Vec<double>& x) {
#if defined(__AVX2__)
  x = _mm256_sqrt_pd(x);
#else
  for (long l = 0; l < 4; ++l) x[l] = __builtin_sqrt(x[l]);
#endif
}

/// x = exp(x) for x <= 88, within 2 units of the last place; below -87 it stays at exp(-87).
PMTR_INLINE void exponential(Vec<float>& x) {
  Vec<float> low;
  splat(-87.0F, low);
  x = x < low ? low : x;  // NaN passes
  const float magic =
      12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer, which its low bits then hold
  const Vec<float> shifted = x * 1.44269504F + magic;
  const Vec<float> n = shifted - magic;
  const Vec<float> r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  Vec<float> p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  const Simd<float>::Bits scale = ((Simd<float>::Bits)shifted - 0x4B400000 + 127) << 23;
  x = p * (Vec<float>)scale;
}
PMTR_INLINE void exponential(Vec<double>& x) {
  for (long l = 0; l < 4; ++l) x[l] = __builtin_exp(x[l]);
}

}  // namespace
}  // namespace pmtr::kernels::PMTR_ISA
