// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <vector>

#include "pmtr/fracture/cut/cell_complex.h"

namespace pmtr {

/// What merging cells needs to know of them: how large they are and how much wall they share.
struct CellGraph {
  struct Wall {
    std::int32_t cell = 0;  ///< the neighbour
    double area = 0;
    bool bridge = false;  ///< no wall: joins solids that do not touch, and is never cut
  };
  std::vector<double> volumes;
  std::vector<double> outer_areas;       ///< per cell, its part of the outer surface
  std::vector<std::vector<Wall>> walls;  ///< per cell, sorted by neighbour; each wall stands at both cells

  std::size_t size() const { return volumes.size(); }
};

/// Solids that do not touch (the lid beside its bottle) are joined by bridges between their nearest cells.
CellGraph cell_graph(const CellComplex& complex);

}  // namespace pmtr
