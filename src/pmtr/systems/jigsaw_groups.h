// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace pmtr {

/// How Jigsaw's encoder gathers points, stage by stage.
struct JigsawStage {
  double share;                ///< of the points of the stage before that become centres
  std::array<float, 2> radii;  ///< within which a centre looks for neighbours, object units
};
inline constexpr std::array<JigsawStage, 4> jigsaw_stages{
    {{0.15, {0.05F, 0.1F}}, {0.25, {0.1F, 0.2F}}, {0.25, {0.2F, 0.4F}}, {0.25, {0.4F, 0.8F}}}};
inline constexpr std::array<int, 2> jigsaw_neighbours{16, 32};  ///< most of a centre, for each radius
inline constexpr int jigsaw_attended = 16;  ///< neighbours that a point of the point transformer looks at

/// One stage: a coarser cloud, and what ties it to the finer one. Rows are of all fragments, one behind the
/// other; no table crosses from one fragment to another.
struct JigsawLevel {
  std::vector<std::int32_t> centres;                    ///< [m]: rows of the finer cloud
  std::array<std::vector<std::int32_t>, 2> neighbours;  ///< [m, jigsaw_neighbours]: rows of the finer cloud
  std::vector<std::int32_t> nearest;                    ///< [n, 3]: rows of this cloud, for each finer point
  std::vector<float> weights;                           ///< [n, 3]: by inverse distance, with sum 1
};

/// All that is the same whatever the weights are: made once per object, ahead of the updates.
struct JigsawGroups {
  std::array<JigsawLevel, jigsaw_stages.size()> levels;
  std::vector<std::int32_t> attended;  ///< [n, jigsaw_attended]: rows of the cloud
};

/// `points` are those of all fragments, `sizes` the number of each; none is 0.
JigsawGroups group_points(std::span<const Eigen::Vector3f> points, std::span<const std::int64_t> sizes);

/// Each next point is the one that is farthest from those before it, beginning with the first. Of equals, the
/// first. Indices, in the order chosen.
std::vector<std::int32_t> farthest_points(std::span<const Eigen::Vector3f> points, std::size_t count);

}  // namespace pmtr
