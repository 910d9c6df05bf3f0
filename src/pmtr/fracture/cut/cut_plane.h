// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/random.h"
#include "pmtr/fracture/cut/working_complex.h"

namespace pmtr {

struct CutPlane {
  Eigen::Vector3d origin;
  Eigen::Matrix3d axes;  ///< columns: two directions in the plane, and the normal
  double score = 0;      ///< less is better
};

/// The surface of one cell, to find planes that cut it with small sections.
class CellSurface {
 public:
  CellSurface(const WorkingComplex& working, std::int32_t cell);

  /// Longest side of the cell.
  double size() const { return size_; }

  /// Random planes, the best first: the area of the section, divided by how large the smaller side is.
  std::vector<CutPlane> propose(int count, Random& random) const;

 private:
  double score(const CutPlane& plane) const;

  std::vector<std::array<Eigen::Vector3d, 3>> triangles_;  ///< facing outward
  std::vector<double> area_until_;                         ///< running sum, to draw by area
  double size_ = 0;
};

}  // namespace pmtr
