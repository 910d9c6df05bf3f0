// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <vector>

#include "pmtr/report/page/display_mesh.h"

namespace pmtr {

/// What the page must know of a DisplayMesh to read its bytes.
struct DisplayFrame {
  Eigen::Vector3d low = Eigen::Vector3d::Zero();  ///< positions are steps of 1/65535 of `size` from here
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  Eigen::Vector2f uv_low = Eigen::Vector2f::Zero();
  Eigen::Vector2f uv_size = Eigen::Vector2f::Zero();
  int index_bytes = 2;
};
DisplayFrame frame_of(const DisplayMesh& mesh);

/// Little-endian, one after another, each filled up to four bytes: positions (3 x 16 bits), normals (3 x 8),
/// colours (3 x 8), texture coordinates (2 x 16), gaps (8: 0 to 254 over `gap_scale`, 255 no contact), breaks
/// (8: 0 to 255), corners of faces (16 or 32). What a mesh does not have is left out.
std::vector<std::byte> pack(const DisplayMesh& mesh, double gap_scale);
/// The gaps alone.
std::vector<std::byte> pack_gaps(const DisplayMesh& mesh, double gap_scale);

}  // namespace pmtr
