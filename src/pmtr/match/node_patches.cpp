// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/node_patches.h"

#include <algorithm>
#include <limits>

#include "pmtr/core/check.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {

NodePatches partition_points(std::span<const Eigen::Vector3f> points, std::span<const Eigen::Vector3f> nodes,
                             Threads& threads, int limit) {
  PMTR_CHECK(!nodes.empty() && limit >= 1);
  NodePatches patches;
  const float anywhere = std::numeric_limits<float>::infinity();
  patches.node_of_point = find_neighbours(points, nodes, anywhere, 1, TieOrder::index, threads).index;

  std::vector<std::vector<std::pair<float, std::int32_t>>> members(nodes.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto node = static_cast<std::size_t>(patches.node_of_point[i]);
    members[node].emplace_back((points[i] - nodes[node]).squaredNorm(), static_cast<std::int32_t>(i));
  }
  patches.offsets.reserve(nodes.size() + 1);
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
