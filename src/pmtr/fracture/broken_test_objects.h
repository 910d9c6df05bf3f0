// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/fracture/cut/solid_test_meshes.h"
#include "pmtr/fracture/shapes/shapes.h"

namespace pmtr::test {

/// Twenty: eighteen procedural shapes, walls of 0.01 among them, and two coarse meshes with sharp edges, one
/// of them hollow. Test support only.
inline TriangleMesh object_to_break(std::size_t i) {
  if (i == 18) return box(Eigen::Vector3d(1, 0.625, 0.375));
  if (i == 19) return hollow_box();
  ShapeOptions options;
  options.seed = i;
  options.around = 40;
  if (i / 6 == 1) options.wall_thickness = 0.01;
  return *make_shape(first_shapes[i % first_shapes.size()], options);
}

}  // namespace pmtr::test
