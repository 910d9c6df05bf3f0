// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/threads.h"

namespace pmtr {

/// A row of one matrix and a row of another.
struct RowMatch {
  std::int32_t a = 0;
  std::int32_t b = 0;
  float distance = 0.0F;  ///< Euclidean
};

/// Nearest neighbours between the rows of two matrices, in both directions.
struct NearestRows {
  std::vector<RowMatch> of_a;  ///< [row of a]: with its nearest of b; empty where b has no rows
  std::vector<RowMatch> of_b;  ///< [row of b]: with its nearest of a

  /// Those that are each other's nearest, by rows of a.
  std::vector<RowMatch> mutual() const;
};

/// `a` and `b` are [rows, width]: raw descriptors or what a network makes of them. Of equals, the first. The
/// distances are by matrix product, so close ones have an error of about 1e-3 of the rows' lengths.
NearestRows find_nearest_rows(std::span<const float> a, std::span<const float> b, std::int64_t width,
                              Threads& threads);

}  // namespace pmtr
