// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/result.h"

namespace pmtr {

/// A picture as it was found: its bytes are never decoded.
struct Texture {
  std::string name;  ///< file name (OBJ) or image name (GLB)
  std::string mime;  ///< "image/png", "image/jpeg", ...
  std::vector<std::byte> bytes;
};

struct Material {
  std::string name;
  Eigen::Vector4f base_colour = Eigen::Vector4f::Ones();  ///< RGBA, 0 to 1
  int texture = -1;                                       ///< index into TriangleMesh::textures, or none
};

/// The geometry of one fragment with what it looks like. Attributes are empty or complete.
/// A mesh without faces is a point cloud.
struct TriangleMesh {
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::array<std::uint32_t, 3>> faces;  ///< indices into vertices; polygons are fanned

  std::vector<Eigen::Vector3f> normals;  ///< per vertex, or empty
  std::vector<Eigen::Vector4f> colours;  ///< per vertex RGBA, 0 to 1, or empty

  std::vector<Eigen::Vector2f> uvs;                    ///< origin at the lower left, as OBJ has it
  std::vector<std::array<std::uint32_t, 3>> face_uvs;  ///< per face, indices into uvs; or empty

  std::vector<Material> materials;
  std::vector<std::int32_t> face_materials;  ///< per face, index into materials or -1; or empty
  std::vector<Texture> textures;
};

/// Every index in range, every attribute empty or complete, every coordinate finite: what readers promise.
Status check_mesh(const TriangleMesh& mesh);

double surface_area(const TriangleMesh& mesh);

/// What functions over several meshes take: they are large, and rarely lie side by side.
std::vector<const TriangleMesh*> pointers_to(std::span<const TriangleMesh> meshes);

/// Merges vertices with equal coordinates (STL and some scanners store one per face corner). Only on request:
/// vertex indices change. Per-vertex normals and colours of the first one are kept.
TriangleMesh merge_duplicate_vertices(const TriangleMesh& mesh);

}  // namespace pmtr
