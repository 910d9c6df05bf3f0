// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/edge_pool.h"

#include <algorithm>
#include <vector>

#include "pmtr/core/check.h"
#include "pmtr/kernels/edge_pool_loops.h"
#include "pmtr/kernels/isa.h"

namespace pmtr::kernels {
namespace {

template <class Real>
void check(const EdgePool<Real>& pool) {
  const auto has = [](auto values, std::int64_t count) {
    return static_cast<std::int64_t>(values.size()) == count;
  };
  const GatherTable& table = pool.table;
  PMTR_CHECK(pool.channels > 0 && pool.channels % EdgePool<Real>::channel_step == 0,
             "the channels of an edge pool come in steps");
  PMTR_CHECK(has(table.neighbours, table.queries * table.width) &&
                 has(pool.from, table.supports * pool.channels) &&
                 has(pool.to, table.queries * pool.channels) &&
                 has(pool.edges, table.queries * table.width * edge_numbers) &&
                 has(pool.weight, edge_numbers * pool.channels),
             "edge pool: sizes of points, features, edges and weights differ");
}

template <class Real>
EdgePoolView<Real> view_of(const EdgePool<Real>& pool) {
  const GatherTable& table = pool.table;
  return {table.neighbours.data(), table.queries,  table.supports,    table.width,       pool.channels,
          pool.from.data(),        pool.to.data(), pool.edges.data(), pool.weight.data()};
}

}  // namespace

template <class Real>
void edge_pool_forward(const EdgePool<Real>& pool, std::span<Real> out, std::span<std::int32_t> winner,
                       Threads& threads) {
  check(pool);
  PMTR_CHECK(static_cast<std::int64_t>(out.size()) == pool.table.queries * pool.channels &&
                 winner.size() * 2 == out.size(),
             "edge pool: wrong size of the output");
  const EdgePoolLoops<Real>& loops = PMTR_PICK(edge_pool_loops<Real>());
  threads.parallel_for(pool.table.queries, 64, [&](std::int64_t begin, std::int64_t end) {
    loops.forward(view_of(pool), begin, end, out.data(), winner.data());
  });
}

template <class Real>
void edge_pool_backward(const EdgePool<Real>& pool, std::span<const Real> out,
                        std::span<const std::int32_t> winner, std::span<const Real> d_out,
                        const EdgePoolGradients<Real>& gradients, Threads& threads) {
  check(pool);
  PMTR_CHECK(gradients.from.size() == pool.from.size() && gradients.to.size() == pool.to.size() &&
                 gradients.weight.size() == pool.weight.size() && d_out.size() == out.size() &&
                 out.size() == pool.to.size() && winner.size() * 2 == out.size(),
             "edge pool: wrong size of a gradient");
  for (const std::span<Real> values : {gradients.from, gradients.to, gradients.weight})
    std::fill(values.begin(), values.end(), Real(0));
  const EdgePoolLoops<Real>& loops = PMTR_PICK(edge_pool_loops<Real>());
  static_assert(EdgePool<Real>::channel_step == 2 * edge_pool_step &&
                EdgePool<Real>::edge_size == edge_numbers);
  std::vector<Real> transposed(pool.weight.size() / 2, Real(0));
  // Channels are split, not queries: no two threads add to one number, and the order of the sums stays.
  const std::int64_t step = edge_pool_step;
  const std::int64_t even = (pool.channels / 2 + threads.count() - 1) / threads.count();
  threads.parallel_for(pool.channels / 2 / step, std::max<std::int64_t>(1, (even + step - 1) / step),
                       [&](std::int64_t begin, std::int64_t end) {
                         loops.backward(view_of(pool), begin * step, end * step, out.data(), winner.data(),
                                        d_out.data(), gradients.from.data(), gradients.to.data(),
                                        gradients.weight.data(), transposed.data());
                       });
}

#define PMTR_INSTANTIATE(Real)                                                                     \
  template void edge_pool_forward(const EdgePool<Real>&, std::span<Real>, std::span<std::int32_t>, \
                                  Threads&);                                                       \
  template void edge_pool_backward(const EdgePool<Real>&, std::span<const Real>,                   \
                                   std::span<const std::int32_t>, std::span<const Real>,           \
                                   const EdgePoolGradients<Real>&, Threads&);
PMTR_INSTANTIATE(float)
PMTR_INSTANTIATE(double)
#undef PMTR_INSTANTIATE

}  // namespace pmtr::kernels
