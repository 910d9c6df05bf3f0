// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

namespace pmtr {

/// Beyond this, single precision no longer tells neighbouring voxels apart.
inline constexpr double max_voxels_per_axis = 1 << 20;

/// One point per occupied voxel: the mean of the points in it. Order and rounding are the reference's, down
/// to the iteration order of the hash map, because everything after it depends on the order of points.
/// Points must be finite and span less than max_voxels_per_axis.
std::vector<Eigen::Vector3f> grid_subsample(std::span<const Eigen::Vector3f> points, float voxel);

}  // namespace pmtr
