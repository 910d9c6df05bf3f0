// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/pyramid/node_patches.h"

namespace pmtr {

/// How much the patches of two fragments cover each other in the assembled object: what the coarse loss asks
/// for. The overlap of two patches is the mean over both of the share of points that have a point of the
/// other patch within `radius`.
struct PatchOverlaps {
  std::int64_t source_nodes = 0;
  std::int64_t target_nodes = 0;
  std::vector<float> values;  ///< [source node, target node], row by row, 0 to 1
};

/// Points in the assembled pose. The labels, if given, say which points can mate at all (1): on thin walls
/// the wrong side is near as well. Share is still of the whole patch.
PatchOverlaps patch_overlaps(std::span<const Eigen::Vector3f> source, const NodePatches& source_patches,
                             std::span<const Eigen::Vector3f> target, const NodePatches& target_patches,
                             float radius = 0.02F, std::span<const std::uint8_t> source_labels = {},
                             std::span<const std::uint8_t> target_labels = {});

}  // namespace pmtr
