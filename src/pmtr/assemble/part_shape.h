// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <Eigen/Geometry>

#include "pmtr/core/rigid3.h"
#include "pmtr/mesh/measures.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// As much of a fragment as the assembly of joints needs to know.
struct PartShape {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< of its box, in its own coordinates
  double area = 0.0;                                 ///< the largest fragment becomes the anchor
};

/// A pose with the coordinates of both parts beginning at their centres: a turn then hardly moves a part, so
/// poses can be compared, and rotations and translations averaged one after the other.
inline Rigid3 centred(const Rigid3& a_from_b, const PartShape& a, const PartShape& b) {
  return {a_from_b.rotation, a_from_b.rotation * b.centre + a_from_b.translation - a.centre};
}
/// And back.
inline Rigid3 uncentred(const Rigid3& a_from_b, const PartShape& a, const PartShape& b) {
  return {a_from_b.rotation, a.centre + a_from_b.translation - a_from_b.rotation * b.centre};
}

inline PartShape shape_of(const TriangleMesh& mesh) {
  const Eigen::AlignedBox3d box = bounding_box(mesh);
  return {box.isEmpty() ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : Eigen::Vector3d(box.center()),
          surface_area(mesh)};
}

}  // namespace pmtr
