// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <vector>

#include "pmtr/report/page/display_mesh.h"

namespace pmtr {

/// A fragment as the page carries it. In this order, each list filled up to a multiple of four bytes:
/// positions (16 bits, steps of the box), normals (8 bits, signed), colours (8 bits), texture coordinates (16
/// bits), gaps (0 to 254 over the scale, 255: no contact), indices (16 or 32 bits). web/src/data.ts reads it.
struct DisplayBytes {
  std::vector<std::byte> bytes;
  Eigen::Vector3d low = Eigen::Vector3d::Zero();
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  Eigen::Vector2f uv_low = Eigen::Vector2f::Zero();
  Eigen::Vector2f uv_size = Eigen::Vector2f::Zero();
  int index_bytes = 2;
};

DisplayBytes pack(const DisplayMesh& mesh, double gap_scale);

}  // namespace pmtr
