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

/// Whether the bytes are a binary STL by their size, an ascii one by their first words, or neither. Binary
/// files whose free header begins with "solid" exist, so the size goes first.
enum class StlKind { binary, ascii, neither };
StlKind detect_stl(std::span<const std::byte> bytes);

/// Reads the bytes of an STL file, binary or ascii. Three vertices per facet, none merged; facet normals are
/// not read, they say nothing that the corners do not. `name` is only for messages. Counts are bounded by the
/// bytes that are there.
Result<TriangleMesh> parse_stl(std::span<const std::byte> bytes, const std::string& name);

/// Binary: triangles only, coordinates rounded to float (which they must fit).
std::vector<std::byte> format_stl(const TriangleMesh& mesh);

/// The same bytes with the coordinates and normals moved. The bytes must be ones that parse_stl accepts.
Result<std::vector<std::byte>> move_stl(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                        const std::string& name);

}  // namespace pmtr
