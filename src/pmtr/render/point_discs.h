// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <Eigen/Core>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// A small hexagon for each point of a cloud, so that it can be drawn: across the point's normal, or towards
/// the eye where there are none. As large as it takes to cover a surface with this many points.
TriangleMesh point_discs(const TriangleMesh& cloud, const Eigen::Vector3d& towards_eye);

}  // namespace pmtr
