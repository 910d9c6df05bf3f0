// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

struct MtlMaterial {
  std::string name;
  Eigen::Vector4f base_colour = Eigen::Vector4f::Ones();  ///< Kd with d (or 1 - Tr)
  std::string base_colour_map;                            ///< the file named by map_Kd, as written; or empty
};

struct MtlFile {
  std::vector<MtlMaterial> materials;
  /// Every file that any map names (bump, roughness, ...), once each, as written. They are not all
  /// understood, but all are needed where the file is copied.
  std::vector<std::string> maps;
};

/// Reads material definitions. It cannot fail: what is not understood is left at its default.
MtlFile parse_mtl(std::string_view text);

/// A name that survives every OBJ reader: white space, control characters and path separators become '_'.
std::string plain_word(std::string_view name);

/// The names under which format_obj and format_mtl write the materials: one word each, not empty, no two
/// alike.
std::vector<std::string> obj_material_names(const TriangleMesh& mesh);

struct MtlDocument {
  std::string mtl;
  std::vector<CompanionFile> textures;  ///< to be written beside the MTL
};

/// The materials as an MTL file and the texture files it names. With `stem`, texture names begin with it, so
/// that the pictures of several meshes can stand in one folder.
MtlDocument format_mtl(const TriangleMesh& mesh, const std::string& stem = {});

}  // namespace pmtr
