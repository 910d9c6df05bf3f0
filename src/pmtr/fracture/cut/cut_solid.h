// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

#include "pmtr/core/listener.h"
#include "pmtr/fracture/cut/cell_complex.h"
#include "pmtr/fracture/cut/height_noise.h"

namespace pmtr {

/// How a solid is cut into the cells that pieces are merged from.
struct CutOptions {
  int cells = 24;
  std::uint64_t seed = 0;
  RoughnessOptions roughness;
  /// Distance of the points inside fracture surfaces, over the longest side of the object.
  double detail = 0.02;
  /// Longer edges are halved where a cut passes; over the longest side of the object.
  double max_edge = 0.05;
  int proposals = 12;  ///< planes tried for each cut; small sections that leave large parts are preferred

  Status validate() const;
};

/// Cuts a solid (prepare_solid) into cells, the largest first, each by a rough surface where its section is
/// small. May make a few cells more (parts that fall off), or fewer where no clean cut is found.
Result<CellComplex> cut_solid(const TriangleMesh& solid, const CutOptions& options, const Listener& listener);

}  // namespace pmtr
