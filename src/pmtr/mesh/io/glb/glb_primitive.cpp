// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/glb/glb_primitive.h"

#include <fmt/format.h>

namespace pmtr::glb {

Result<std::vector<std::array<std::uint32_t, 3>>> faces_of(std::span<const std::uint32_t> indices,
                                                           std::uint64_t mode, const std::string& where) {
  std::vector<std::array<std::uint32_t, 3>> faces;
  if (mode == triangles) {
    if (indices.size() % 3 != 0) {
      return Error{
          Cause::malformed, fmt::format("{}: {} indices make no whole triangles", where, indices.size()), {}};
    }
    faces.reserve(indices.size() / 3);
    for (std::size_t i = 0; i < indices.size(); i += 3)
      faces.push_back({indices[i], indices[i + 1], indices[i + 2]});
    return faces;
  }
  for (std::size_t i = 0; i + 2 < indices.size(); ++i) {
    const std::uint32_t a = mode == triangle_fan ? indices[0] : indices[i];
    const std::uint32_t b = indices[i + 1];
    const std::uint32_t c = indices[i + 2];
    if (mode == triangle_fan) {
      faces.push_back({a, b, c});
    } else if (a != b && b != c && a != c) {
      faces.push_back(i % 2 == 0 ? std::array{a, b, c} : std::array{a, c, b});
    }
  }
  return faces;
}

}  // namespace pmtr::glb
