// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <vector>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr::test {

/// A box whose sides are n x n squares of two triangles. Boxes that share a side have it bit for bit,
/// reversed, as simulated fractures do.
inline TriangleMesh grid_box(const Eigen::Vector3d& low, const Eigen::Vector3d& high, int n = 4) {
  TriangleMesh mesh;
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool upper : {false, true}) {
      const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
      const int u = (axis + 1) % 3;
      const int v = (axis + 2) % 3;
      for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) {
          Eigen::Vector3d p;
          p[axis] = upper ? high[axis] : low[axis];
          p[u] = low[u] + (high[u] - low[u]) * i / n;
          p[v] = low[v] + (high[v] - low[v]) * j / n;
          mesh.vertices.push_back(p);
        }
      }
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
          const auto a = first + static_cast<std::uint32_t>(j * (n + 1) + i);
          const auto up = static_cast<std::uint32_t>(n + 1);
          std::array<std::uint32_t, 3> one{a, a + 1, a + 1 + up};
          std::array<std::uint32_t, 3> two{a, a + 1 + up, a + up};
          if (!upper) {
            std::swap(one[1], one[2]);
            std::swap(two[1], two[2]);
          }
          mesh.faces.push_back(one);
          mesh.faces.push_back(two);
        }
      }
    }
  }
  return mesh;
}

/// A bar of unit length cut into `count` equal boxes along x; piece i touches i - 1 and i + 1.
inline std::vector<TriangleMesh> cut_bar(int count, int n = 4) {
  std::vector<TriangleMesh> pieces;
  for (int i = 0; i < count; ++i) {
    pieces.push_back(
        grid_box({static_cast<double>(i) / count, 0, 0}, {static_cast<double>(i + 1) / count, 0.25, 0.5}, n));
  }
  return pieces;
}

}  // namespace pmtr::test
