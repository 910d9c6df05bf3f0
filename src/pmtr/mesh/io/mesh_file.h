// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

enum class MeshFormat { obj, ply, stl, off, glb };

const char* format_name(MeshFormat format);

/// In any case of the letters; none for an extension that is not known.
std::optional<MeshFormat> format_of_extension(const std::filesystem::path& path);

/// A file that stands beside a mesh and is needed to show it: the MTL of an OBJ, its textures.
struct CompanionFile {
  std::filesystem::path relative_path;  ///< relative to the mesh file's folder; never leads out of it
  std::vector<std::byte> bytes;
};

/// A fragment as it was read: what the file says (mesh) and the file itself, so that it can be written again
/// with everything but its position unchanged.
struct MeshFile {
  std::filesystem::path path;
  MeshFormat format = MeshFormat::ply;
  TriangleMesh mesh;
  std::vector<std::byte> bytes;
  std::vector<CompanionFile> companions;
  std::vector<std::string> warnings;  ///< "texture \"wood.png\" is missing: ...", ...
};

/// Format by extension, checked against the content: a text file called .ply is an error that says so.
Result<MeshFile> read_mesh_file(const std::filesystem::path& path);

/// The mesh as it is in memory. The format is the extension's. OBJ: materials and textures stand beside the
/// file, under names that begin with its own; STL and OFF cannot hold them.
Status write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh);

/// The same file moved: coordinates and normals change, every other byte of meaning stays (colours, UVs,
/// material and group lines, comments, unknown PLY properties, textures). Written into `folder` under the
/// file's own name, its companions beside it.
Status write_moved(const MeshFile& file, const Rigid3& world_from_part, const std::filesystem::path& folder);

}  // namespace pmtr
