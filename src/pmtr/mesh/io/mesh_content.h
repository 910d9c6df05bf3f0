// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "pmtr/mesh/io/mesh_file.h"

namespace pmtr {

/// What a file is by its bytes, whatever its name says.
struct MeshContent {
  std::optional<MeshFormat> format;  ///< only where the bytes leave no doubt
  std::string description;           ///< "an STL file", "a PNG picture", "a text file", "binary data"
};

MeshContent look_at_content(std::span<const std::byte> bytes);

}  // namespace pmtr
