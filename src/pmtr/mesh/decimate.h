// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// The same surface with about `faces` faces: edges collapse one after the other, always the one that moves
/// the surface least (the sum of squared distances from the planes of the faces that were there). Nothing is
/// folded, torn or joined, so fewer edges than asked for may go. Shape alone is kept: no colours, normals or
/// texture coordinates. A mesh that is small enough, or a cloud, comes back as it is.
TriangleMesh decimate(const TriangleMesh& mesh, std::size_t faces);

}  // namespace pmtr
