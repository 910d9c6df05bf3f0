// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "pmtr/mesh/triangle_mesh.h"
#include "pmtr/render/image.h"

namespace pmtr {

/// A fragment as graphics hardware wants it: every vertex with one normal, one colour and one texture
/// coordinate. For looking at, not for measuring.
struct DisplayMesh {
  /// Faces `begin` to `end` share a texture (index into TriangleMesh::textures, or -1).
  struct Group {
    int texture = -1;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  std::vector<Eigen::Vector3d> positions;  ///< on the surface, in the fragment's own coordinates
  std::vector<Eigen::Vector3f> normals;    ///< unit; empty for a cloud without normals
  std::vector<Rgb> colours;                ///< the fragment's own; or empty
  std::vector<Eigen::Vector2f> uvs;        ///< or empty
  std::vector<std::array<std::uint32_t, 3>> faces;
  std::vector<Group> groups;         ///< cover all faces
  std::vector<float> gaps;           ///< distance to the surface it mates with; negative: none; or empty
  std::vector<std::uint8_t> breaks;  ///< how likely it is broken there, 0 to 255; or empty
};

/// Vertices are copied where their corners differ. Faces that meet at less than the crease angle look round.
DisplayMesh display_mesh(const TriangleMesh& mesh, double crease_angle_deg = 32.0);

/// At most about `faces` faces (for a cloud: points), by merging vertices that lie in one cell of a grid.
/// What stays of a cell is one of its own vertices, so that everything is still on the surface. Vertices that
/// differ much in normal or texture coordinate keep their own. The same mesh if it is small enough.
DisplayMesh thinned(const DisplayMesh& mesh, std::size_t faces);

}  // namespace pmtr
