// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

struct DecimatedMesh {
  TriangleMesh mesh;
  std::vector<std::uint32_t> was;  ///< [face]: which face of the full mesh it was before its corners moved
};

/// The same surface with about `faces` faces: edges collapse one after the other, always the one that moves
/// the surface least (the sum of squared distances from the planes of the faces that were there). Nothing is
/// folded, torn or joined, so fewer edges than asked for may go. Shape alone is kept: no colours, normals or
/// texture coordinates. A mesh that is small enough, or a cloud, comes back as it is.
DecimatedMesh decimate(const TriangleMesh& mesh, std::size_t faces);

/// To this share of the faces, but for the fifty that a piece needs to keep its shape.
DecimatedMesh decimate_to_share(const TriangleMesh& mesh, double share);

}  // namespace pmtr
