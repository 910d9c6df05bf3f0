// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace pmtr {

/// Points that keep a distance, and whom each of the others is nearest to. Private to this stage.
struct EvenSubset {
  std::vector<std::uint32_t> chosen;  ///< ascending
  std::vector<std::uint32_t> owner;   ///< [point]: place in `chosen` of the nearest one
};

/// In the order given, every point that is not within `distance` of one chosen before. Points whose normals
/// differ by more than a right angle are on different faces and do not keep a distance. Only distances
/// decide: a turned cloud gives the same points.
EvenSubset choose_apart(std::span<const Eigen::Vector3f> points, std::span<const Eigen::Vector3f> normals,
                        float distance);

}  // namespace pmtr
