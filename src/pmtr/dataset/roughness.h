// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// How far a mating surface is from flat.
struct Roughness {
  /// RMS distance from the plane that fits best, over the square root of the area: shape at the scale of the
  /// whole surface. 0 is flat; a half sphere has 0.115.
  double relief = 0.0;
  /// RMS angle between the normals and their mean, by area, in degrees: shape at all scales, the finest most.
  double normal_spread_deg = 0.0;
};

/// Of the triangles whose partner is `other`. The integrals over triangles are exact.
Roughness measure_roughness(const TriangleMesh& piece, std::span<const std::int32_t> partner,
                            std::int32_t other);

}  // namespace pmtr
