// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pmtr/mesh/triangle_mesh.h"

/// What the readers and writers of textured formats share.
namespace pmtr {

/// Stands for "no index" while a file is read; never left in a finished mesh.
inline constexpr std::uint32_t no_index = 0xFFFFFFFFU;

/// A part of a colour within 0 to 1; what is not finite is 1.
float unit_range(float value);

/// Faces may come with and without texture coordinates, but an attribute is empty or complete: faces without
/// get one added coordinate (0, 0); if no face has any, uvs and face_uvs become empty.
void complete_face_uvs(TriangleMesh& mesh);

/// "image/png" and so on by the first bytes, else by the name's extension; empty if neither says.
std::string image_mime(std::span<const std::byte> bytes, std::string_view name);

/// ".png" for "image/png"; ".bin" for what is unknown.
std::string image_extension(std::string_view mime);

}  // namespace pmtr
