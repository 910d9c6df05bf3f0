// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pmtr/fracture/cut/working_complex.h"

namespace pmtr {

/// A cut that is ready to be made.
struct CutParts {
  std::array<std::vector<std::uint32_t>, 2> faces;  ///< of the cell: below and above the wall
  std::vector<std::array<std::uint32_t, 3>> wall;   ///< outward from what is below
  std::vector<Eigen::Vector3d> inner_points;  ///< vertices of the wall that do not exist yet, numbered on
};

/// Makes a cell of each connected part on either side of the wall; the first keeps the cell's number. False,
/// and nothing is changed, if a part would be smaller than `min_volume` or cavities could belong to several
/// parts.
bool apply_cut(WorkingComplex& working, std::int32_t cell, const CutParts& parts, double min_volume);

}  // namespace pmtr
