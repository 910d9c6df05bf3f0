// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pmtr/pose/oriented_cloud.h"
#include "pmtr/pose/pose_hypotheses.h"

namespace pmtr {

/// Root mean square distance between where two poses put the points of b.
double pose_distance(const OrientedCloud& b, const Rigid3& first, const Rigid3& second);

/// Of poses ordered best first, the indices of at most `limit` that differ by more than `distance` from every
/// better one that is kept.
std::vector<std::size_t> distinct_poses(const OrientedCloud& b, std::span<const Rigid3> poses,
                                        double distance, std::size_t limit);

}  // namespace pmtr
