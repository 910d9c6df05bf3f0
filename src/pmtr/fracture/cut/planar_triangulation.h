// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace pmtr {

/// A border that runs from one point to another with the region on its left.
using BorderSegment = std::array<std::int32_t, 2>;

/// The triangles (counterclockwise) of the region that the borders enclose, with all its points used:
/// Delaunay where the borders allow it. No points are added. Regions may have holes and several parts. None
/// if the borders are no clean outline: they cross, touch at a point that is not theirs, or do not close.
///
/// Coordinates are rounded to a grid of 2^24 steps per extent, on which every decision is exact.
std::optional<std::vector<std::array<std::int32_t, 3>>> triangulate_region(
    std::span<const Eigen::Vector2d> points, std::span<const BorderSegment> borders);

}  // namespace pmtr
