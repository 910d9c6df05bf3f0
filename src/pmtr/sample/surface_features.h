// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/sample/point_cloud.h"

namespace pmtr {

/// What a surface looks like around a point, at several scales, in numbers that do not change when the
/// fragment is turned. With h the height of a neighbour over the tangent plane, d its distance, c the cosine
/// of the two normals, per radius r: the mean, mean magnitude and spread of h / r, the mean and spread of c,
/// h / d summed over every eighth neighbour and divided by the number of all (weights were trained on this),
/// and the share of neighbours that face the other way (c < -0.5: the far side of a wall).
struct SurfaceFeatures {
  /// In units of the whole object: its longest side is 1.
  static constexpr std::array<float, 5> radii = {0.015F, 0.03F, 0.06F, 0.12F, 0.24F};
  static constexpr int per_radius = 7;
  static constexpr int width = per_radius * static_cast<int>(radii.size());

  std::int64_t rows = 0;
  std::vector<float> values;  ///< [rows, width]
};

/// Features at the points of `at` of the surface that `surface` samples. Both need normals; both are in units
/// of the whole object. For large radii the surface is thinned to some hundred neighbours.
SurfaceFeatures find_surface_features(const PointCloud& surface, const PointCloud& at, Threads& threads);

}  // namespace pmtr
