// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/edge_pool_loops.h"

#define PMTR_VECTOR_BYTES 32
#include "pmtr/kernels/simd.h"

namespace pmtr::kernels::PMTR_ISA {
namespace {

template <class Real>
constexpr int vectors = edge_pool_step / lanes<Real>;

/// z += eight channels of what one neighbour says, from `c` on.
template <class Real>
PMTR_INLINE void add_edge(const EdgePoolView<Real>& pool, const Real* edge, const Real* from, std::int64_t c,
                          Vec<Real>* z) {
  PMTR_UNROLL
  for (int v = 0; v < vectors<Real>; ++v) z[v] += load(from + c + v * lanes<Real>);
  PMTR_UNROLL
  for (int e = 0; e < edge_numbers; ++e) {
    const Real* row = pool.weight + e * pool.channels + c;
    PMTR_UNROLL
    for (int v = 0; v < vectors<Real>; ++v) z[v] += splat(edge[e]) * load(row + v * lanes<Real>);
  }
}

template <class Real>
PMTR_INLINE Vec<Real> leaky(Vec<Real> x) {
  return x > Vec<Real>{} ? x : x * Real(edge_pool_slope);
}

/// Slots as numbers of the type that is compared: a vector of them is chosen by the same mask.
template <class Real>
PMTR_INLINE void pool_largest(const EdgePoolView<Real>& pool, std::int64_t i, std::int64_t c, Real* out,
                              std::int32_t* winner) {
  const std::int32_t* row = pool.neighbours + i * pool.width;
  Vec<Real> own[vectors<Real>], best[vectors<Real>], slot[vectors<Real>];
  PMTR_UNROLL
  for (int v = 0; v < vectors<Real>; ++v) {
    own[v] = load(pool.to + i * pool.channels + c + v * lanes<Real>);
    best[v] = splat(Real(-3e38));
    slot[v] = splat(Real(-1));
  }
  for (std::int64_t s = 0; s < pool.width; ++s) {
    const std::int32_t j = row[s];
    if (j < 0 || j >= pool.supports) continue;
    Vec<Real> z[vectors<Real>];
    PMTR_UNROLL
    for (int v = 0; v < vectors<Real>; ++v) z[v] = own[v];
    add_edge(pool, pool.edges + (i * pool.width + s) * edge_numbers, pool.from + j * pool.channels, c, z);
    PMTR_UNROLL
    for (int v = 0; v < vectors<Real>; ++v) {
      const auto take = z[v] > best[v];
      best[v] = take ? z[v] : best[v];
      slot[v] = take ? splat(static_cast<Real>(s)) : slot[v];
    }
  }
  for (int v = 0; v < vectors<Real>; ++v) {
    const Vec<Real> none{};
    store(out + c + v * lanes<Real>, slot[v] < none ? none : leaky<Real>(best[v]));
    for (int l = 0; l < lanes<Real>; ++l)
      winner[c + v * lanes<Real> + l] = static_cast<std::int32_t>(slot[v][l]);
  }
}

template <class Real>
PMTR_INLINE void pool_mean(const EdgePoolView<Real>& pool, std::int64_t i, std::int64_t c, Real* out) {
  const std::int32_t* row = pool.neighbours + i * pool.width;
  Vec<Real> own[vectors<Real>], sum[vectors<Real>] = {};
  PMTR_UNROLL
  for (int v = 0; v < vectors<Real>; ++v) own[v] = load(pool.to + i * pool.channels + c + v * lanes<Real>);
  Real count = 0;
  for (std::int64_t s = 0; s < pool.width; ++s) {
    const std::int32_t j = row[s];
    if (j < 0 || j >= pool.supports) continue;
    Vec<Real> z[vectors<Real>];
    PMTR_UNROLL
    for (int v = 0; v < vectors<Real>; ++v) z[v] = own[v];
    add_edge(pool, pool.edges + (i * pool.width + s) * edge_numbers, pool.from + j * pool.channels, c, z);
    PMTR_UNROLL
    for (int v = 0; v < vectors<Real>; ++v) sum[v] += leaky<Real>(z[v]);
    count += 1;
  }
  const Real share = count > 0 ? Real(1) / count : Real(0);
  PMTR_UNROLL
  for (int v = 0; v < vectors<Real>; ++v) store(out + c + v * lanes<Real>, sum[v] * share);
}

template <class Real>
void forward(const EdgePoolView<Real>& pool, std::int64_t begin, std::int64_t end, Real* out,
             std::int32_t* winner) {
  const std::int64_t half = pool.channels / 2;
  for (std::int64_t i = begin; i < end; ++i) {
    for (std::int64_t c = 0; c < half; c += edge_pool_step)
      pool_largest(pool, i, c, out + i * pool.channels, winner + i * half);
    for (std::int64_t c = half; c < pool.channels; c += edge_pool_step)
      pool_mean(pool, i, c, out + i * pool.channels);
  }
}

/// Only the winner of each channel learns. `d_weight` is transposed, [channels / 2, edge_numbers]: one edge
/// is one row.
template <class Real>
PMTR_INLINE void teach_largest(const EdgePoolView<Real>& pool, std::int64_t i, std::int64_t begin,
                               std::int64_t end, const Real* out, const std::int32_t* winner,
                               const Real* d_out, Real* d_from, Real* d_to, Real* d_weight) {
  const std::int64_t at = i * pool.channels;
  for (std::int64_t c = begin; c < end; ++c) {
    const std::int32_t s = winner[i * (pool.channels / 2) + c];
    if (s < 0) continue;
    const Real g = out[at + c] > 0 ? d_out[at + c] : d_out[at + c] * Real(edge_pool_slope);
    d_to[at + c] = g;
    d_from[pool.neighbours[i * pool.width + s] * pool.channels + c] += g;
    const Real* edge = pool.edges + (i * pool.width + s) * edge_numbers;
    Real* row = d_weight + c * edge_numbers;
    PMTR_UNROLL
    for (int e = 0; e < edge_numbers; e += lanes<Real>)
      store(row + e, load(row + e) + splat(g) * load(edge + e));
  }
}

template <class Real>
PMTR_INLINE void teach_mean(const EdgePoolView<Real>& pool, std::int64_t i, std::int64_t c, Real count,
                            const Real* d_out, Real* d_from, Real* d_to, Real* d_weight) {
  const std::int32_t* row = pool.neighbours + i * pool.width;
  Vec<Real> own[vectors<Real>], d[vectors<Real>], sum[vectors<Real>] = {},
                                                  weight[edge_numbers][vectors<Real>] = {};
  PMTR_UNROLL
  for (int v = 0; v < vectors<Real>; ++v) {
    own[v] = load(pool.to + i * pool.channels + c + v * lanes<Real>);
    d[v] = load(d_out + i * pool.channels + c + v * lanes<Real>) * (Real(1) / count);
  }
  for (std::int64_t s = 0; s < pool.width; ++s) {
    const std::int32_t j = row[s];
    if (j < 0 || j >= pool.supports) continue;
    const Real* edge = pool.edges + (i * pool.width + s) * edge_numbers;
    Vec<Real> z[vectors<Real>];
    PMTR_UNROLL
    for (int v = 0; v < vectors<Real>; ++v) z[v] = own[v];
    add_edge(pool, edge, pool.from + j * pool.channels, c, z);
    Real* from = d_from + j * pool.channels + c;
    PMTR_UNROLL
    for (int v = 0; v < vectors<Real>; ++v) {
      const Vec<Real> g = z[v] > Vec<Real>{} ? d[v] : d[v] * Real(edge_pool_slope);
      sum[v] += g;
      store(from + v * lanes<Real>, load(from + v * lanes<Real>) + g);
      PMTR_UNROLL
      for (int e = 0; e < edge_numbers; ++e) weight[e][v] += splat(edge[e]) * g;
    }
  }
  PMTR_UNROLL
  for (int v = 0; v < vectors<Real>; ++v) {
    store(d_to + i * pool.channels + c + v * lanes<Real>, sum[v]);
    PMTR_UNROLL
    for (int e = 0; e < edge_numbers; ++e) {
      Real* to = d_weight + e * pool.channels + c + v * lanes<Real>;
      store(to, load(to) + weight[e][v]);
    }
  }
}

template <class Real>
void backward(const EdgePoolView<Real>& pool, std::int64_t begin, std::int64_t end, const Real* out,
              const std::int32_t* winner, const Real* d_out, Real* d_from, Real* d_to, Real* d_weight,
              Real* transposed) {
  const std::int64_t half = pool.channels / 2;
  for (std::int64_t i = 0; i < pool.queries; ++i) {
    teach_largest(pool, i, begin, end, out, winner, d_out, d_from, d_to, transposed);
    Real count = 0;
    for (std::int64_t s = 0; s < pool.width; ++s) {
      const std::int32_t j = pool.neighbours[i * pool.width + s];
      count += j >= 0 && j < pool.supports ? 1 : 0;
    }
    if (count == 0) continue;
    for (std::int64_t c = half + begin; c < half + end; c += edge_pool_step)
      teach_mean(pool, i, c, count, d_out, d_from, d_to, d_weight);
  }
  for (std::int64_t c = begin; c < end; ++c)
    for (int e = 0; e < edge_numbers; ++e) d_weight[e * pool.channels + c] = transposed[c * edge_numbers + e];
}

}  // namespace

template <class Real>
const EdgePoolLoops<Real>& edge_pool_loops() {
  static const EdgePoolLoops<Real> loops{forward<Real>, backward<Real>};
  return loops;
}
template const EdgePoolLoops<float>& edge_pool_loops();
template const EdgePoolLoops<double>& edge_pool_loops();

}  // namespace pmtr::kernels::PMTR_ISA
