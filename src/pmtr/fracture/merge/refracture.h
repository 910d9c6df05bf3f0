// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/fracture/merge/cell_graph.h"

namespace pmtr {

/// How cells are merged to pieces. The defaults are tuned to the cut areas of real fractures:
/// docs/fracture.md.
struct RefractureOptions {
  int pieces = 2;  ///< at least 2
  std::uint64_t seed = 0;
  /// Every piece holds at least this share of the volume. None: 1/40, or 0.3 of the mean share where that is
  /// less.
  std::optional<double> min_volume_share;
  /// Cuts tried for each one made; the best is taken. More: smaller, but always similar cuts.
  int proposals = 6;
  /// Spread of the walls' strength (standard deviation of its logarithm). More: rougher, larger cuts.
  double noise = 0.5;
  /// How much a cut may grow with the smaller part it makes: its area is divided by that volume to this
  /// power. 0: small pieces break off; 1: parts tend to be equal.
  double size_power = 0.7;

  Status validate() const;
  double volume_share() const;  ///< the one given, or the default for this many pieces
};

/// The piece of every cell, numbered from 0 without gaps: connected cells, each piece at least of the asked
/// volume. Cuts run where they are small: a piece is split by a minimum cut between two grown regions. An
/// error says that the cells cannot be merged like this (too few, or too large ones).
Result<std::vector<std::int32_t>> refracture(const CellGraph& graph, const RefractureOptions& options);

}  // namespace pmtr
