// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/result.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// What stands in the OBJ text itself. Materials are names only, in the order of their first use.
struct ObjContent {
  TriangleMesh mesh;
  std::vector<std::string> material_files;  ///< named by mtllib, as written, once each
  std::vector<std::string> warnings;
};

Result<ObjContent> read_obj_content(std::span<const std::byte> bytes, const std::string& name);

/// The three words after `v` or `vn` and their values; a word may be NaN or infinite, but not missing.
struct ObjTriple {
  std::array<std::string_view, 3> words;
  Eigen::Vector3d value = Eigen::Vector3d::Zero();
};

/// Takes three numbers off the front of `rest`; no value if one is missing or not a number.
std::optional<ObjTriple> take_triple(std::string_view& rest);

}  // namespace pmtr
