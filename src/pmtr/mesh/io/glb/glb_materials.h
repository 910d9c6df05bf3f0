// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>
#include <vector>

#include "pmtr/mesh/io/glb/glb_accessors.h"
#include "pmtr/mesh/io/glb/glb_json.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr::glb {

/// Fills mesh.materials and mesh.textures. What cannot be read is a warning: the geometry is still good.
/// Pictures together hold at most `most_picture_bytes`.
void read_materials(const Json& document, Accessors& accessors, std::uint64_t most_picture_bytes,
                    TriangleMesh& mesh, std::vector<std::string>& warnings);

}  // namespace pmtr::glb
