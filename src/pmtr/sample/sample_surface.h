// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/core/result.h"
#include "pmtr/mesh/triangle_mesh.h"
#include "pmtr/sample/point_cloud.h"

namespace pmtr {

/// An even (Poisson-disk-like) sample of one fragment's surface, with normals. Points on the two sides of a
/// thin wall do not push each other away. Coordinates are kept in double until they are centred, so that a
/// scan in survey coordinates loses nothing.
struct SampledSurface {
  PointCloud cloud;                  ///< relative to `centre`, divided by the unit asked for
  std::vector<std::uint32_t> faces;  ///< [point]: the face it lies on; without faces, the vertex it is
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< mean of the points, in the mesh's coordinates
  double area = 0.0;                                 ///< of the surface, in square units
};

/// `count` points in units of `unit`. A mesh without faces is thinned instead of sampled, its normals are
/// kept if it has any, and its area is an estimate.
Result<SampledSurface> sample_surface(const TriangleMesh& fragment, int count, double unit, Random random);

/// Puts points to the front that are as even as a sample of their own: the first `count` are then a coarser
/// cloud of the same surface.
void bring_even_points_forward(SampledSurface& surface, int count);

}  // namespace pmtr
