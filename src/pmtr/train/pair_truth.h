// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/random.h"
#include "pmtr/match/coarse_match.h"
#include "pmtr/match/superpoint_patches.h"
#include "pmtr/pyramid/pyramid.h"

namespace pmtr {

/// Two superpoints whose patches touch in the assembled object.
struct PatchOverlap {
  std::int32_t source = 0;
  std::int32_t target = 0;
  float overlap = 0.0F;  ///< mean of the two shares of patch points that have a partner; above 0, at most 1
};

/// What is true of a pair: which patches overlap, and which points touch.
struct PairTruth {
  /// Points of both fragments in the assembled object.
  std::vector<Eigen::Vector3f> source_assembled;
  std::vector<Eigen::Vector3f> target_assembled;
  SuperpointPatches source_patches;
  SuperpointPatches target_patches;
  std::vector<PatchOverlap> overlaps;             ///< by source, then target
  std::vector<SuperpointMatch> superpoint_pairs;  ///< the patches that the fine loss looks at
};

struct PairTruthOptions {
  /// Points of the two fragments nearer than this in the assembled object are partners.
  double radius = 0.02;
  /// The fine loss looks at this many overlapping patches, chosen at random ...
  int superpoint_pairs = 128;
  /// ... among those that overlap by more than this; among all if none does.
  double min_overlap = 0.1;

  Status validate() const;
};

/// All pairs of patches with a point of one within `radius` of a point of the other.
std::vector<PatchOverlap> patch_overlaps(const std::vector<Eigen::Vector3f>& source_assembled,
                                         const SuperpointPatches& source_patches,
                                         const std::vector<Eigen::Vector3f>& target_assembled,
                                         const SuperpointPatches& target_patches, double radius);

/// From two pyramids and their points in the assembled object, in the pyramids' order.
PairTruth find_pair_truth(const Pyramid& source, const Pyramid& target,
                          std::vector<Eigen::Vector3f> source_assembled,
                          std::vector<Eigen::Vector3f> target_assembled, const PairTruthOptions& options,
                          Random& random, Threads& threads);

}  // namespace pmtr
