// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <Eigen/Geometry>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// As much of a fragment as the assembly of joints needs to know.
struct PartShape {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< of its box, in its own coordinates
  double area = 0.0;                                 ///< the largest fragment becomes the anchor
};

inline PartShape shape_of(const TriangleMesh& mesh) {
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3d& v : mesh.vertices) box.extend(v);
  return {box.isEmpty() ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : Eigen::Vector3d(box.center()),
          surface_area(mesh)};
}

}  // namespace pmtr
