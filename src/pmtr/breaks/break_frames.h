// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/breaks/break_cloud.h"

namespace pmtr {

/// Of each point the nearest rim: an outer point. Private to this stage.
struct NearestRim {
  std::vector<std::int32_t> outer;  ///< its index, or -1 beyond the reach
  std::vector<float> distance;      ///< at most the reach
};
NearestRim find_nearest_rim(std::span<const Eigen::Vector3f> points, std::span<const Eigen::Vector3f> outer,
                            float reach, Threads& threads);

/// Fills z, x and has_x of the break's points. `rim` has, per break point, the nearest point of `outer` or
/// -1.
void find_frames(BreakCloud& cloud, const PointCloud& outer, std::span<const std::int32_t> rim,
                 const BreakCloudOptions& options, Threads& threads);

}  // namespace pmtr
