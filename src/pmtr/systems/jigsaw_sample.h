// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>

#include "pmtr/network/tensor.h"
#include "pmtr/systems/jigsaw_groups.h"
#include "pmtr/systems/object_sample.h"

namespace pmtr {

/// A broken object as Jigsaw sees it: as many points as there are on a share of the surface, all fragments
/// equally dense.
struct JigsawSample {
  std::string object;
  std::vector<Eigen::Vector3f> points;  ///< of all parts, each centred and turned
  std::vector<std::int64_t> sizes;      ///< points of each part
  JigsawGroups groups;
  // Truth:
  std::vector<Rigid3> object_from_part;
  std::vector<std::uint8_t> broken;  ///< [point]: a point of another part is near
  std::vector<std::int32_t>
      partner;  ///< [point]: of broken ones, the nearest broken one of another part; else -1
};

/// As far as this from a point of another part, a point is on a break; object units.
inline constexpr float jigsaw_break_distance = 0.025F;
/// Points of a part at least.
inline constexpr int jigsaw_least_points = 30;

Result<JigsawSample> prepare_jigsaw(const BrokenObject& object, const ObjectSampleOptions& options,
                                    Random random);

/// Labels and partners by the poses. What is near a point of another part makes that one broken too, so every
/// broken point has a partner.
void label_breaks(JigsawSample& sample);

/// Several objects, as the network takes them.
struct JigsawBatch {
  struct Level {
    torch::Tensor centres;                    // [m], long
    std::array<torch::Tensor, 2> neighbours;  // [m * k], long
    torch::Tensor nearest;                    // [n * 3], long
    torch::Tensor weights;                    // [n, 3]
  };
  torch::Tensor points;  // [n, 3]
  std::array<Level, jigsaw_stages.size()> levels;
  torch::Tensor attended;             // [n * jigsaw_attended], long
  std::vector<std::int64_t> objects;  ///< points of each object
  torch::Tensor parts;                // [n], long: the part of each point, counted through all objects
};
JigsawBatch stack_jigsaw(std::span<const JigsawSample> samples);

}  // namespace pmtr
