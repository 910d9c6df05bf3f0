// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/fracture/merge/cell_graph.h"

namespace pmtr {

/// Splits sets of connected cells in two connected ones, along weak places.
class CellSplitter {
 public:
  struct Settings {
    double min_volume;  ///< of either side
    int proposals;
    double noise;
    double size_power;
  };
  using Cells = std::vector<std::int32_t>;

  /// The strength of every wall is drawn here, once. The graph and the random numbers must outlive this.
  CellSplitter(const CellGraph& graph, const Settings& settings, Random& random);

  /// The connected sets of cells of the whole graph.
  std::vector<Cells> components() const;

  /// Two sides of at least the asked volume; none if no proposal gave them. `cells` must be connected.
  std::optional<std::pair<Cells, Cells>> split(const Cells& cells);

 private:
  struct Proposal {
    double score;
    std::vector<bool> side;  ///< per cell of the set
  };
  std::optional<Proposal> propose(const Cells& cells, double volume);
  Cells grow(std::int32_t start, double volume, std::vector<bool>& taken);
  std::int32_t draw(const Cells& cells, const std::vector<bool>& taken);
  double strength(std::size_t cell, std::size_t wall) const { return strength_[cell][wall]; }

  const CellGraph& graph_;
  Settings settings_;
  Random& random_;
  std::vector<std::vector<double>> strength_;  ///< like graph.walls
  std::vector<std::int32_t> local_;            ///< index in the set being split, or -1
};

}  // namespace pmtr
