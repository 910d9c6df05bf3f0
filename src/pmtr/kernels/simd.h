// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

// Vectors for <file>_loops.cpp (see cpu.h), where PMTR_ISA is defined. They are the compiler's own: a * b + c
// becomes one fused instruction where the flags allow it. All of it is local to the file that includes it,
// and inlined at any optimisation level: how a vector is passed depends on the instruction set.

#include <cstdint>

// A vector fills a register: 32 bytes with AVX2, 16 elsewhere. Loops that are written for one length (four
// heads fit 32 bytes a whole number of times) define it before they include this; where registers are shorter
// the compiler splits.
#if !defined(PMTR_VECTOR_BYTES)
#if defined(__AVX2__)
#define PMTR_VECTOR_BYTES 32
#else
#define PMTR_VECTOR_BYTES 16
#endif
#endif

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#define PMTR_INLINE inline __attribute__((always_inline))

// Loops over registers must be unrolled at any optimisation level, or the registers become memory.
#if defined(__clang__)
#define PMTR_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PMTR_UNROLL _Pragma("GCC unroll 16")
#endif

namespace pmtr::kernels::PMTR_ISA {
namespace {

template <class Real>
struct Simd;

template <>
struct Simd<float> {
  typedef float Vec __attribute__((vector_size(PMTR_VECTOR_BYTES)));
  typedef float Loose __attribute__((vector_size(PMTR_VECTOR_BYTES), aligned(4), may_alias));
  typedef float Heads __attribute__((vector_size(16), aligned(4), may_alias));
  typedef std::int32_t Mask __attribute__((vector_size(PMTR_VECTOR_BYTES)));
  typedef std::int32_t LooseMask __attribute__((vector_size(PMTR_VECTOR_BYTES), aligned(4), may_alias));
};

template <>
struct Simd<double> {
  typedef double Vec __attribute__((vector_size(PMTR_VECTOR_BYTES)));
  typedef double Loose __attribute__((vector_size(PMTR_VECTOR_BYTES), aligned(8), may_alias));
};

template <class Real>
using Vec = typename Simd<Real>::Vec;
using Mask = Simd<float>::Mask;
template <class Real>
constexpr int lanes = PMTR_VECTOR_BYTES / sizeof(Real);

template <class Real>
PMTR_INLINE Vec<Real> load(const Real* from) {
  return *reinterpret_cast<const typename Simd<Real>::Loose*>(from);
}
template <class Real>
PMTR_INLINE void store(Real* to, Vec<Real> value) {
  *reinterpret_cast<typename Simd<Real>::Loose*>(to) = value;
}
PMTR_INLINE void store(std::int32_t* to, Mask value) {
  *reinterpret_cast<Simd<float>::LooseMask*>(to) = value;
}
template <class Real>
PMTR_INLINE Vec<Real> splat(Real value) {
  return value - Vec<Real>{};  // the compiler knows this as a broadcast; x - 0 is x, also for -0
}

/// b where a is NaN.
template <class Real>
PMTR_INLINE Vec<Real> larger(Vec<Real> a, Vec<Real> b) {
  return a > b ? a : b;
}

PMTR_INLINE float square_root(float x) { return __builtin_sqrtf(x); }
PMTR_INLINE double square_root(double x) { return __builtin_sqrt(x); }
PMTR_INLINE Vec<float> square_root(Vec<float> x) {
#if defined(__AVX2__)
  return _mm256_sqrt_ps(x);
#elif defined(__SSE2__) && PMTR_VECTOR_BYTES == 16
  return _mm_sqrt_ps(x);
#else
  for (int l = 0; l < lanes<float>; ++l) x[l] = __builtin_sqrtf(x[l]);
  return x;
#endif
}
PMTR_INLINE Vec<double> square_root(Vec<double> x) {
#if defined(__AVX2__)
  return _mm256_sqrt_pd(x);
#elif defined(__SSE2__) && PMTR_VECTOR_BYTES == 16
  return _mm_sqrt_pd(x);
#else
  for (int l = 0; l < lanes<double>; ++l) x[l] = __builtin_sqrt(x[l]);
  return x;
#endif
}

/// exp(x) for x <= 88, within 2 units of the last place; below -87 it stays at exp(-87).
PMTR_INLINE Vec<float> exponential(Vec<float> x) {
  const Vec<float> low = splat(-87.0F);
  x = x < low ? low : x;  // NaN passes
  // 1.5 * 2^23: adding it rounds to an integer, which its low bits then hold.
  const float magic = 12582912.0F;
  const Vec<float> shifted = x * 1.44269504F + magic;
  const Vec<float> n = shifted - magic;
  const Vec<float> r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  Vec<float> p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  const Mask scale = ((Mask)shifted - 0x4B400000 + 127) << 23;
  return p * (Vec<float>)scale;
}
PMTR_INLINE Vec<double> exponential(Vec<double> x) {
  for (int l = 0; l < lanes<double>; ++l) x[l] = __builtin_exp(x[l]);
  return x;
}

#if PMTR_VECTOR_BYTES == 32
// Four heads side by side: eight floats are two edges, four doubles one.

/// How many edges with their four heads fit a vector.
template <class Real>
constexpr int edges_per_vec = lanes<Real> / 4;

/// Four numbers, one per head, repeated over the vector.
PMTR_INLINE Vec<float> repeat_heads(const float* from) {
  const Simd<float>::Heads h = *reinterpret_cast<const Simd<float>::Heads*>(from);
  return __builtin_shufflevector(h, h, 0, 1, 2, 3, 0, 1, 2, 3);
}
PMTR_INLINE Vec<double> repeat_heads(const double* from) { return load(from); }

/// to[h] (+)= the sum over the vector's lanes of head h.
template <bool add>
PMTR_INLINE void fold_heads(Vec<float> v, float* to) {
  Simd<float>::Heads sum =
      __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  if (add) sum += *reinterpret_cast<Simd<float>::Heads*>(to);
  *reinterpret_cast<Simd<float>::Heads*>(to) = sum;
}
template <bool add>
PMTR_INLINE void fold_heads(Vec<double> v, double* to) {
  store(to, add ? v + load(to) : v);
}

/// In each group of four lanes, lane K everywhere.
template <int K>
PMTR_INLINE Vec<float> spread(Vec<float> v) {
  return __builtin_shufflevector(v, v, K, K, K, K, K + 4, K + 4, K + 4, K + 4);
}
template <int K>
PMTR_INLINE Vec<double> spread(Vec<double> v) {
  return __builtin_shufflevector(v, v, K, K, K, K);
}
#endif

}  // namespace
}  // namespace pmtr::kernels::PMTR_ISA
