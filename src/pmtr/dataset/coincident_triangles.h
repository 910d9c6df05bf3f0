// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// A triangle named by where its corners are: the same key in two meshes means the same corners, bit for bit.
/// Private to this stage.
struct TriangleKey {
  std::array<std::uint32_t, 3> corners;  ///< numbers of distinct positions, ascending
  std::uint32_t mesh = 0;
  std::uint32_t triangle = 0;
  bool odd = false;  ///< orientation: two keys with equal corners are reversed if this differs

  bool same_corners(const TriangleKey& other) const { return corners == other.corners; }
};

/// Keys of all triangles of all meshes, sorted by corners, then mesh, then triangle. Triangles with two equal
/// corners have no orientation and no area: they are left out.
std::vector<TriangleKey> triangle_keys(std::span<const TriangleMesh> meshes);

}  // namespace pmtr
