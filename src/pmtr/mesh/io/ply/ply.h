// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// Reads the bytes of a PLY file: ascii or binary, elements and properties in any order, unknown ones
/// skipped. Files without faces are point clouds. `name` is only for messages. Counts are bounded by the
/// bytes that are there. Normals that are not finite are read as zero: unknown. "comment TextureFile" lines
/// become textures without bytes.
Result<TriangleMesh> parse_ply(std::span<const std::byte> bytes, const std::string& name);

/// Binary little endian. Coordinates are float if that loses nothing, else double; colours are uchar; UVs are
/// per vertex where every vertex has one, else a texcoord list per face. Materials and textures are dropped.
std::vector<std::byte> format_ply(const TriangleMesh& mesh);

/// The same bytes with the coordinates and normals moved, in the type they have. The bytes must be ones that
/// parse_ply accepts. A result that its type cannot hold (whole numbers, beyond float) is an error.
Result<std::vector<std::byte>> move_ply(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                        const std::string& name);

}  // namespace pmtr
