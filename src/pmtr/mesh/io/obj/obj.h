// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/mesh/io/companion_files.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// An OBJ with what stands beside it; ready to be moved into a MeshFile.
struct ObjReading {
  TriangleMesh mesh;
  std::vector<CompanionFile> companions;  ///< the MTL files and every texture they name that could be loaded
  std::vector<std::string> warnings;      ///< what is missing, refused or repaired
};

/// Reads the bytes of an OBJ file, its materials and textures. `name` is only for messages. A missing or
/// refused companion is a warning. Counts are bounded by the bytes that are there.
///
/// Vertices keep the file's order and are never split. Normals are taken if each vertex has the same one at
/// all its corners, else left empty. Colours after the coordinates may be 0 to 1 or 0 to 255. Polygons are
/// fanned. Texture coordinates of faces without any: see complete_face_uvs. Materials are those of the MTL
/// files in their order, then the names without definition. Statements that are not known (lines, curves,
/// smoothing) are ignored.
Result<ObjReading> read_obj_with_companions(std::span<const std::byte> bytes, const std::string& name,
                                            const CompanionLoader& loader);

/// The same without looking beside the file: materials have names only.
Result<TriangleMesh> parse_obj(std::span<const std::byte> bytes, const std::string& name);

/// With `mtl_name`, the OBJ refers to that file; format_mtl (mtl.h) gives its content. Faces without material
/// between others stand under a `usemtl` without name.
std::vector<std::byte> format_obj(const TriangleMesh& mesh, const std::string& mtl_name = {});

/// The same bytes with the coordinates and normals moved: only numbers of `v` and `vn` statements change, and
/// of those only the ones whose value changes. The bytes must be ones that parse_obj accepts.
Result<std::vector<std::byte>> move_obj(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                        const std::string& name);

}  // namespace pmtr
