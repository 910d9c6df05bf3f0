// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

namespace pmtr::kernels {

/// An EdgePool as bare pointers: no inline function of a library is compiled for an instruction set.
template <class Real>
struct EdgePoolView {
  const std::int32_t* neighbours;
  std::int64_t queries, supports, width, channels;
  const Real* from;
  const Real* to;
  const Real* edges;
  const Real* weight;
};

inline constexpr int edge_numbers = 8;
inline constexpr double edge_pool_slope = 0.1;
inline constexpr int edge_pool_step = 8;  ///< channels that are worked on together

template <class Real>
struct EdgePoolLoops {
  /// Queries [begin, end).
  void (*forward)(const EdgePoolView<Real>& pool, std::int64_t begin, std::int64_t end, Real* out,
                  std::int32_t* winner);
  /// All queries, channels [begin, end) of both halves, end <= channels / 2. `transposed` is zeros, [channels
  /// / 2, edge_numbers].
  void (*backward)(const EdgePoolView<Real>& pool, std::int64_t begin, std::int64_t end, const Real* out,
                   const std::int32_t* winner, const Real* d_out, Real* d_from, Real* d_to, Real* d_weight,
                   Real* transposed);
};

namespace portable {
template <class Real>
const EdgePoolLoops<Real>& edge_pool_loops();
}
namespace avx2 {
template <class Real>
const EdgePoolLoops<Real>& edge_pool_loops();
}

}  // namespace pmtr::kernels
