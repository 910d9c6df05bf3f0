// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/core/listener.h"
#include "pmtr/core/random.h"
#include "pmtr/sample/fragment_clouds.h"
#include "pmtr/systems/jigsaw_network.h"

namespace pmtr {

/// Points of two parts that should touch.
struct WeightedMatches {
  std::vector<Eigen::Vector3d> a, b;
  std::vector<double> weights;
};

struct RansacOptions {
  double agreement = 0.05;  ///< a match agrees with a pose that brings its points nearer than this
  int draws = 2000;         ///< of three matches, at most: fewer where most agree early
};

struct RansacPose {
  Rigid3 a_from_b;
  int agreeing = 0;
};

/// The pose that most matches agree on, by weighted Procrustes over these. Nothing for fewer than three
/// matches, or where they all lie on a line.
std::optional<RansacPose> ransac_pose(const WeightedMatches& matches, const RansacOptions& options,
                                      Random random);

/// Where Jigsaw puts the fragments, in object units: breaks, matches between all of them at once, poses of
/// pairs, and our averaging over these. What no match holds stands in the middle of the largest part.
Result<Assembly> assemble_by_jigsaw(std::span<const FragmentClouds> fragments, const JigsawNetwork& network,
                                    std::uint64_t seed, Threads& threads, const Listener& listener);

/// The Hungarian method takes the cube of the points: of more break points than this, the surest are matched.
inline constexpr std::int64_t jigsaw_most_matched = 1500;

}  // namespace pmtr
