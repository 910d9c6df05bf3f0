// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/threads.h"

namespace pmtr {

/// Which points belong to which superpoint (superpoint): each point to its nearest superpoint. A superpoint
/// may own none.
struct SuperpointPatches {
  std::vector<std::int32_t> superpoint_of_point;
  std::vector<std::int64_t> offsets;  ///< [superpoints + 1] into points
  std::vector<std::int32_t> points;   ///< per superpoint, nearest to the superpoint first

  std::int64_t superpoints() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::span<const std::int32_t> of(std::int64_t superpoint) const {
    const auto i = static_cast<std::size_t>(superpoint);
    return {points.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

/// At most `limit` points per superpoint are kept, the nearest ones.
SuperpointPatches partition_points(std::span<const Eigen::Vector3f> points,
                                   std::span<const Eigen::Vector3f> superpoints, Threads& threads,
                                   int limit = 128);

}  // namespace pmtr
