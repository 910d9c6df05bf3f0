// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"

namespace pmtr {

/// A point on each of two fragments that should touch, with the normals of both surfaces there.
struct OrientedMatch {
  Eigen::Vector3f a;
  Eigen::Vector3f normal_a;
  Eigen::Vector3f b;
  Eigen::Vector3f normal_b;
  float score = 1.0F;
};

struct MatchPoseOptions {
  int draws = 3000;              ///< pairs of matches that are tried
  double reach = 0.25;           ///< the two matches of a pair are at most this far apart
  double apart = 0.01;           ///< and at least this
  double agreement = 0.02;       ///< a match agrees with a pose that brings its points nearer than this
  double least_facing = 0.7;     ///< and its normals to face each other with at least this cosine
  double min_rank_ratio = 1e-4;  ///< final fits whose matches lie nearly on a line are rejected
  int kept = 4;                  ///< distinct poses, at most
  std::uint64_t seed = 0;

  Status validate() const;
};

struct MatchPose {
  Rigid3 a_from_b;
  int agreeing = 0;    ///< matches
  double share = 0.0;  ///< of the score of all matches
};

/// Poses that groups of neighbouring matches agree on, best first. Two matches and their normals make a pose,
/// so four of five may be wrong and one draw in 25 is still right. Lengths are in the object's size.
std::vector<MatchPose> poses_from_matches(std::span<const OrientedMatch> matches,
                                          const MatchPoseOptions& options);

}  // namespace pmtr
