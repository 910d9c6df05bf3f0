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

struct GlbReading {
  TriangleMesh mesh;
  std::vector<std::string> warnings;  ///< pictures that cannot be read, primitives left out, ...
};

/// Reads the bytes of a GLB file (glTF 2.0). `name` is only for messages. Counts are bounded by the bytes
/// that are there, and so is what instances make of them.
///
/// The default scene becomes one mesh in its world coordinates: node transforms are applied, mirrored ones
/// turn the faces round. Primitives of a mesh that share their attributes share their vertices. Triangles,
/// strips, fans and points are read, lines are left out with a warning. Normals stay only if every primitive
/// has them; vertices without colour among coloured ones are white. Skins, morph targets and texture
/// transforms are not applied.
/// A required extension that changes the geometry in a way we do not know (Draco) is Cause::unsupported.
Result<GlbReading> read_glb_with_warnings(std::span<const std::byte> bytes, const std::string& name);

/// The same without the warnings.
Result<TriangleMesh> parse_glb(std::span<const std::byte> bytes, const std::string& name);

/// One node, one primitive per material. Vertices keep their order; where corners of a vertex differ in their
/// texture coordinate, copies follow at the end. Coordinates are floats, so a mesh far from the origin gets a
/// node translation. Pictures other than PNG and JPEG are left out: the format does not allow them.
std::vector<std::byte> format_glb(const TriangleMesh& mesh);

/// One fragment in a scene of several.
struct GlbPart {
  std::string name;                    ///< of its node
  const TriangleMesh* mesh = nullptr;  ///< with vertices; belongs to the caller
  Rigid3 world_from_part;              ///< becomes the node's matrix: the coordinates stay the mesh's own
  int group = 0;                       ///< parts of one group hang under one node, "component <group>"
};

/// A scene with a named node for each part. Fails only if it becomes too large for the format (4 GiB).
Result<std::vector<std::byte>> format_glb_scene(std::span<const GlbPart> parts);

/// The same file moved: every scene gets a new root node with the pose and its old roots as children. The
/// binary chunk stays as it is, byte by byte. The bytes must be ones that parse_glb accepts.
Result<std::vector<std::byte>> move_glb(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                        const std::string& name);

}  // namespace pmtr
