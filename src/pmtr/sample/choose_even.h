// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace pmtr {

/// Chooses `count` of the points so that they keep their distance: first those that keep a large one, in the
/// order given, then the distance shrinks until there are enough. So the chosen ones are nowhere closer than
/// the last distance, and no gap is much wider than it. Points whose normals differ by more than 120 degrees
/// are on different sides of a wall and do not keep a distance. Private to this stage.
///
/// `distance` is the first distance to try; larger costs time, smaller costs evenness. Returns indices in the
/// order they were chosen; all of them if there are no more than `count`.
std::vector<std::uint32_t> choose_even(std::span<const Eigen::Vector3f> points,
                                       std::span<const Eigen::Vector3f> normals, std::size_t count,
                                       float distance);

}  // namespace pmtr
