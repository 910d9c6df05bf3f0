// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/threads.h"

namespace pmtr {

/// Which points belong to which superpoint (node): each point to its nearest node. A node may own none.
struct NodePatches {
  std::vector<std::int32_t> node_of_point;
  std::vector<std::int64_t> offsets;  ///< [nodes + 1] into points
  std::vector<std::int32_t> points;   ///< per node, nearest to the node first

  std::int64_t nodes() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::span<const std::int32_t> of(std::int64_t node) const {
    const auto i = static_cast<std::size_t>(node);
    return {points.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

/// At most `limit` points per node are kept, the nearest ones.
NodePatches partition_points(std::span<const Eigen::Vector3f> points, std::span<const Eigen::Vector3f> nodes,
                             Threads& threads, int limit = 128);

}  // namespace pmtr
