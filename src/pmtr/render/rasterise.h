// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/threads.h"

namespace pmtr {

/// A triangle on the picture: corners in samples from the upper left, and 1 / distance from the eye, which is
/// linear on the picture where the distance is not.
struct ScreenTriangle {
  std::array<double, 3> x;
  std::array<double, 3> y;
  std::array<double, 3> inverse_depth;

  /// Shares of the corners at a place on the picture, as they are on the surface in space.
  Eigen::Vector3d shares_at(double px, double py) const;
};

/// What is seen at each sample: the nearest triangle, and of equally near ones the first.
struct VisibilityBuffer {
  int width = 0;
  int height = 0;
  std::vector<std::int32_t> triangle;  ///< [height, width]; -1: nothing
  std::vector<float> inverse_depth;    ///< [height, width]; 0: nothing

  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  }
};

/// Corners are moved to the nearest 1/256 of a sample, so that the edge that two triangles share is the same
/// line for both and no sample falls between them.
ScreenTriangle snapped(const ScreenTriangle& triangle);

/// A sample counts as covered if its centre is in the triangle or on its border.
VisibilityBuffer rasterise(std::span<const ScreenTriangle> triangles, int width, int height,
                           Threads& threads);

}  // namespace pmtr
