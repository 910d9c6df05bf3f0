// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

#include "pmtr/core/random.h"
#include "pmtr/fracture/cut/cut_surface.h"
#include "pmtr/fracture/cut/working_complex.h"

namespace pmtr {

struct CutLimits {
  double max_edge = 0;    ///< longer edges are halved where the surface passes
  double spacing = 0;     ///< between the points inside the new wall
  double min_volume = 0;  ///< of every new cell: less is a failure
};

/// Cuts a cell in two or more along the surface. False if the surface does not cut it cleanly (its outline
/// crosses itself, the wall would touch what is there, a part would have no volume): then the cell is as it
/// was, but for edges that were split.
bool cut_cell(WorkingComplex& working, std::int32_t cell, const CutSurface& surface, const CutLimits& limits,
              Random& random);

}  // namespace pmtr
