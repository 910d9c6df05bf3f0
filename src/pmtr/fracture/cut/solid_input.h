// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// The mesh as one solid that can be broken: closed, facing outward, with volume. Vertices at the same place
/// are merged where that closes it (STL, seams of textures), and a solid that faces inward is turned; the
/// listener is told. What cannot be broken cleanly is an error that says why and where: point clouds, open or
/// self-intersecting surfaces, edges of more than two faces, sheets without thickness, several separate
/// solids. Cavities are fine.
Result<TriangleMesh> prepare_solid(const TriangleMesh& mesh, const Listener& listener);

}  // namespace pmtr
