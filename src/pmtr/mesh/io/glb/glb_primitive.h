// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr::glb {

/// Primitive modes, as glTF numbers them; 1 to 3 are lines.
inline constexpr std::uint64_t points = 0;
inline constexpr std::uint64_t triangles = 4;
inline constexpr std::uint64_t triangle_strip = 5;
inline constexpr std::uint64_t triangle_fan = 6;

/// The triangles of a list, strip or fan of indices, all with the same orientation. Strips are stitched
/// together with triangles that name a vertex twice: those are left out.
Result<std::vector<std::array<std::uint32_t, 3>>> faces_of(std::span<const std::uint32_t> indices,
                                                           std::uint64_t mode, const std::string& where);

}  // namespace pmtr::glb
