// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

namespace pmtr {

using TriangleCorners = std::array<std::uint32_t, 3>;

/// Whether an edge of one passes through the inside of the other. Corners with the same number are the same
/// point: neighbours that share an edge never cross, and touching is not crossing.
bool triangles_cross(std::span<const Eigen::Vector3d> points, const TriangleCorners& a,
                     const TriangleCorners& b);

/// A triangle of the first list and one of the second that cross, if any do; of all pairs, one.
std::optional<std::pair<std::size_t, std::size_t>> find_crossing(std::span<const Eigen::Vector3d> points,
                                                                 std::span<const TriangleCorners> first,
                                                                 std::span<const TriangleCorners> second);

/// All triangles that cross another one of the list, in order.
std::vector<std::size_t> crossing_triangles(std::span<const Eigen::Vector3d> points,
                                            std::span<const TriangleCorners> triangles);

}  // namespace pmtr
