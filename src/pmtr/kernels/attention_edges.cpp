// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/attention_edges.h"

#include <cmath>
#include <limits>

#include "pmtr/core/check.h"

namespace pmtr::kernels {

InverseEdges invert_edges(const AttentionEdges& edges) {
  const std::int64_t count = edges.count();
  PMTR_CHECK(count <= std::numeric_limits<std::int32_t>::max(), "more edges than an int32 counts");
  InverseEdges inverse;
  inverse.begin.assign(edges.points + 1, 0);
  for (std::int64_t e = 0; e < count; ++e) {
    const std::int64_t neighbour = edges.neighbour(e);
    if (neighbour >= 0) ++inverse.begin[neighbour + 1];
  }
  for (std::int64_t n = 0; n < edges.points; ++n) inverse.begin[n + 1] += inverse.begin[n];
  inverse.point.resize(inverse.begin[edges.points]);
  inverse.edge.resize(inverse.begin[edges.points]);
  std::vector<std::int64_t> next(inverse.begin.begin(), inverse.begin.end() - 1);
  for (std::int64_t n = 0; n < edges.points; ++n) {
    for (std::int64_t e = edges.begin(n); e < edges.begin(n + 1); ++e) {
      const std::int64_t neighbour = edges.neighbour(e);
      if (neighbour < 0) continue;
      const std::int64_t slot = next[neighbour]++;
      inverse.point[slot] = static_cast<std::int32_t>(n);
      inverse.edge[slot] = static_cast<std::int32_t>(e);
    }
  }
  return inverse;
}

template <class Real>
void edge_lengths(const AttentionEdges& edges, std::span<const Real> positions, EdgeLength kind,
                  Threads& threads, std::span<Real> lengths) {
  PMTR_CHECK(static_cast<std::int64_t>(positions.size()) == 3 * edges.points, "positions are [points, 3]");
  PMTR_CHECK(static_cast<std::int64_t>(lengths.size()) == edges.count(), "one length per edge");
  threads.parallel_for(edges.points, 512, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const Real* p = positions.data() + 3 * n;
      for (std::int64_t e = edges.begin(n); e < edges.begin(n + 1); ++e) {
        const std::int64_t neighbour = edges.neighbour(e);
        Real length = 0;
        if (neighbour >= 0) {
          const Real* q = positions.data() + 3 * neighbour;
          const Real x = q[0] - p[0];
          const Real y = q[1] - p[1];
          const Real z = q[2] - p[2];
          length = x * x + y * y + z * z;
          if (kind == EdgeLength::euclidean) length = std::sqrt(length);
        }
        lengths[e] = length;
      }
    }
  });
}

template void edge_lengths<float>(const AttentionEdges&, std::span<const float>, EdgeLength, Threads&,
                                  std::span<float>);
template void edge_lengths<double>(const AttentionEdges&, std::span<const double>, EdgeLength, Threads&,
                                   std::span<double>);

}  // namespace pmtr::kernels
