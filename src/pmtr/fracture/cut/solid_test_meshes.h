// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/mesh/triangle_mesh.h"

/// Small meshes, good and bad. Test support only.
namespace pmtr::test {

/// Twelve triangles, facing outward.
inline TriangleMesh box(const Eigen::Vector3d& size, const Eigen::Vector3d& low = Eigen::Vector3d::Zero()) {
  TriangleMesh mesh;
  for (const double z : {0.0, 1.0}) {
    for (const double y : {0.0, 1.0}) {
      for (const double x : {0.0, 1.0})
        mesh.vertices.emplace_back(low + size.cwiseProduct(Eigen::Vector3d(x, y, z)));
    }
  }
  mesh.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

inline void append(TriangleMesh& mesh, const TriangleMesh& more, bool inside_out = false) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), more.vertices.begin(), more.vertices.end());
  for (const auto& [a, b, c] : more.faces) {
    if (inside_out) {
      mesh.faces.push_back({first + a, first + c, first + b});
    } else {
      mesh.faces.push_back({first + a, first + b, first + c});
    }
  }
}

/// A box with a cavity that no opening leads to.
inline TriangleMesh hollow_box() {
  TriangleMesh mesh = box(Eigen::Vector3d(1, 0.75, 0.5));
  append(mesh, box(Eigen::Vector3d(0.75, 0.5, 0.25), Eigen::Vector3d(0.125, 0.125, 0.125)), true);
  return mesh;
}

}  // namespace pmtr::test
