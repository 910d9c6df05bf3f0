// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

// Vectors for the loop bodies (see cpu.h). Include it only where PMTR_ISA is defined; the namespace keeps the
// AVX2 copy and the portable copy of everything apart. Compiler vectors serve both: 32 bytes with AVX2, 16
// bytes elsewhere, and a * b + c becomes one fused instruction where the flags allow it.

#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#define PMTR_VECTOR_BYTES 32
#else
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#define PMTR_VECTOR_BYTES 16
#endif

// Loops over registers must be unrolled at any optimisation level, or the registers become memory.
#if defined(__clang__)
#define PMTR_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PMTR_UNROLL _Pragma("GCC unroll 16")
#endif

namespace pmtr::kernels::PMTR_ISA {

template <class Real>
struct Simd;

template <>
struct Simd<float> {
  typedef float Vec __attribute__((vector_size(PMTR_VECTOR_BYTES)));
  typedef float Loose __attribute__((vector_size(PMTR_VECTOR_BYTES), aligned(4), may_alias));
  typedef std::int32_t Mask __attribute__((vector_size(PMTR_VECTOR_BYTES)));
  typedef std::int32_t LooseMask __attribute__((vector_size(PMTR_VECTOR_BYTES), aligned(4), may_alias));
  static constexpr int lanes = PMTR_VECTOR_BYTES / 4;
};

template <>
struct Simd<double> {
  typedef double Vec __attribute__((vector_size(PMTR_VECTOR_BYTES)));
  typedef double Loose __attribute__((vector_size(PMTR_VECTOR_BYTES), aligned(8), may_alias));
  static constexpr int lanes = PMTR_VECTOR_BYTES / 8;
};

template <class Real>
using Vec = typename Simd<Real>::Vec;

template <class Real>
inline Vec<Real> load(const Real* from) {
  return *reinterpret_cast<const typename Simd<Real>::Loose*>(from);
}

template <class Real>
inline void store(Real* to, Vec<Real> value) {
  *reinterpret_cast<typename Simd<Real>::Loose*>(to) = value;
}

template <class Real>
inline Vec<Real> splat(Real value) {
  return value - Vec<Real>{};  // the compiler knows this as a broadcast; x - 0 is x, also for -0
}

template <class Real>
inline Vec<Real> larger(Vec<Real> a, Vec<Real> b) {
  return a > b ? a : b;
}

inline Vec<float> square_root(Vec<float> x) {
#if defined(__AVX2__)
  return _mm256_sqrt_ps(x);
#elif defined(__SSE2__)
  return _mm_sqrt_ps(x);
#else
  for (int i = 0; i < Simd<float>::lanes; ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
#endif
}

inline Vec<double> square_root(Vec<double> x) {
#if defined(__AVX2__)
  return _mm256_sqrt_pd(x);
#elif defined(__SSE2__)
  return _mm_sqrt_pd(x);
#else
  for (int i = 0; i < Simd<double>::lanes; ++i) x[i] = __builtin_sqrt(x[i]);
  return x;
#endif
}

}  // namespace pmtr::kernels::PMTR_ISA
