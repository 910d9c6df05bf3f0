// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/threads.h"

namespace pmtr::kernels {

/// The neighbours of every point, as a table of equal rows with pads or as ragged lists. Edge e of the view
/// is entry e of `indices`; a pad is any index outside [first, first + points). A view does not own its
/// arrays.
struct AttentionEdges {
  std::int64_t points = 0;
  std::int64_t width = 0;                 ///< of a row of the table; not used for lists
  const std::int32_t* indices = nullptr;  ///< [points, width], or one per edge of the lists
  const std::int64_t* offsets = nullptr;  ///< [points + 1] for lists, where offsets[0] is edge 0; else null
  std::int64_t first = 0;  ///< the index that means point 0, for one fragment of a stacked cloud

  static AttentionEdges table(std::int64_t points, std::int64_t width, const std::int32_t* indices,
                              std::int64_t first = 0) {
    return {points, width, indices, nullptr, first};
  }
  static AttentionEdges lists(std::int64_t points, const std::int64_t* offsets, const std::int32_t* indices,
                              std::int64_t first = 0) {
    return {points, 0, indices, offsets, first};
  }

  /// The edges of point n are [begin(n), begin(n + 1)).
  std::int64_t begin(std::int64_t n) const {
    return offsets != nullptr ? offsets[n] - offsets[0] : n * width;
  }
  std::int64_t count() const { return points > 0 ? begin(points) : 0; }
  /// The neighbour at the end of edge e, or -1 for a pad.
  std::int64_t neighbour(std::int64_t e) const {
    const std::int64_t index = indices[e] - first;
    return index >= 0 && index < points ? index : -1;
  }
};

/// The same edges by the neighbour they end at, pads left out; in each list by rising edge. A gradient that
/// flows back along the edges is then a gather too: no two threads write to one place.
struct InverseEdges {
  std::vector<std::int64_t> begin;  ///< [points + 1]
  std::vector<std::int32_t> point;  ///< whose neighbour it is, per entry
  std::vector<std::int32_t> edge;
};

InverseEdges invert_edges(const AttentionEdges& edges);

enum class EdgeLength { squared, euclidean };

/// The length of every edge between positions [points, 3], 0 at pads.
template <class Real>
void edge_lengths(const AttentionEdges& edges, std::span<const Real> positions, EdgeLength kind,
                  Threads& threads, std::span<Real> lengths);

}  // namespace pmtr::kernels
