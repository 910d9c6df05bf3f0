// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/superpoint_patches.h"

#include <algorithm>
#include <limits>

#include "pmtr/core/check.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {

SuperpointPatches partition_points(std::span<const Eigen::Vector3f> points,
                                   std::span<const Eigen::Vector3f> superpoints, Threads& threads,
                                   int limit) {
  PMTR_CHECK(!superpoints.empty() && limit >= 1);
  SuperpointPatches patches;
  const float anywhere = std::numeric_limits<float>::infinity();
  patches.superpoint_of_point =
      find_neighbours(points, superpoints, anywhere, 1, TieOrder::index, threads).index;

  std::vector<std::vector<std::pair<float, std::int32_t>>> members(superpoints.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto superpoint = static_cast<std::size_t>(patches.superpoint_of_point[i]);
    members[superpoint].emplace_back((points[i] - superpoints[superpoint]).squaredNorm(),
                                     static_cast<std::int32_t>(i));
  }
  patches.offsets.reserve(superpoints.size() + 1);
  patches.offsets.push_back(0);
  patches.points.reserve(points.size());
  for (auto& patch : members) {
    std::sort(patch.begin(), patch.end());
    const std::size_t kept = std::min(patch.size(), static_cast<std::size_t>(limit));
    for (std::size_t i = 0; i < kept; ++i) patches.points.push_back(patch[i].second);
    patches.offsets.push_back(static_cast<std::int64_t>(patches.points.size()));
  }
  return patches;
}

}  // namespace pmtr
