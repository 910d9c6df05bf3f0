// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <vector>

#include <Eigen/Core>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// A normal for each corner of each face: the mean over the faces around its vertex that are turned away by
/// less than the crease angle, by area. So smooth surfaces look smooth and the edges of a fracture stay
/// sharp.
std::vector<std::array<Eigen::Vector3f, 3>> corner_normals(const TriangleMesh& mesh, double crease_angle_deg);

}  // namespace pmtr
