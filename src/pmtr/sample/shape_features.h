// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/sample/point_cloud.h"

namespace pmtr {

/// What a surface looks like around a point, in numbers that do not change when the fragment is turned: at
/// radii of the whole object, which say how it was broken, and at radii of the fragment itself, so that a
/// splinter is seen as well as half a bowl. With h the height of a neighbour over the tangent plane, d its
/// distance, c the cosine of the two normals, per radius r: the mean, mean magnitude and spread of h / r, the
/// mean and spread of c, the mean of h / d, the share of neighbours that face the other way (c < -0.5: the
/// far side of a wall), and how much surface there is, as a share of a flat disc. Each is shifted and scaled
/// to about unit size.
struct ShapeFeatures {
  /// In units of the whole object: its longest side is 1.
  static constexpr std::array<float, 5> object_radii = {0.015F, 0.03F, 0.06F, 0.12F, 0.24F};
  /// In units of the fragment's own length.
  static constexpr std::array<float, 4> own_radii = {0.0625F, 0.125F, 0.25F, 0.5F};
  static constexpr int per_radius = 8;
  /// The last number is the own length itself, as a logarithm.
  static constexpr int width = per_radius * static_cast<int>(object_radii.size() + own_radii.size()) + 1;

  std::int64_t rows = 0;
  std::vector<float> values;  ///< [rows, width]
};

/// The side of a square whose two faces have this area: what a sherd would measure.
float own_length(double area);

/// At every point of the cloud, which needs normals and is in units of the whole object. `area` is that of
/// the surface it samples.
ShapeFeatures find_shape_features(const PointCloud& cloud, double area, Threads& threads);

}  // namespace pmtr
