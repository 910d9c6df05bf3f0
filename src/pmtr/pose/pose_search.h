// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/core/threads.h"
#include "pmtr/pose/joint_evidence.h"
#include "pmtr/pose/oriented_cloud.h"
#include "pmtr/pose/pose_hypotheses.h"

namespace pmtr {

struct PoseSearchOptions {
  int border_hypotheses = 150000;   ///< poses from single border points, at most
  PointPairOptions point_pairs;     ///< poses from two points on each fracture surface
  int quick_points = 48;            ///< fracture points a first rating looks at
  int rated = 3000;                 ///< poses that get a second rating, on both surfaces
  int refined = 300;                ///< distinct poses that are refined coarsely
  int verified = 24;                ///< distinct poses refined on all points and verified
  int kept = 8;                     ///< poses in the answer, at most
  double penetration_weight = 1.0;  ///< area inside the other fragment against area of contact
  std::uint64_t seed = 0;

  /// A first look at a pair: a few percent of the time, and enough to tell most partners from strangers.
  static PoseSearchOptions brief();
  /// The same without guesses of its own.
  PoseSearchOptions only_hints() const;
  bool blind() const { return border_hypotheses > 0 || point_pairs.draws > 0; }
  /// As much effort as the two surfaces need: small ones have fewer poses to try.
  PoseSearchOptions scaled_to(const OrientedCloud& a, const OrientedCloud& b) const;
  Status validate() const;
};

struct PoseCandidate {
  Rigid3 a_from_b;
  JointEvidence evidence;
  double confidence = 0.0;  ///< that this pose is right, 0 to 1
};

/// Poses of b in a's frame, best first and distinct. Empty where a fragment has no fracture surface or
/// nothing touches anywhere. Tries many guesses on few points, few on many, and refines the best. `hints` are
/// poses that something else proposes (a_from_b); they skip the first rating.
std::vector<PoseCandidate> search_poses(const OrientedCloud& a, const OrientedCloud& b,
                                        std::span<const Rigid3> hints, const PoseSearchOptions& options,
                                        Threads& threads);

/// Refines one pose that is roughly right (10 degrees, 0.05), from few points to all.
Rigid3 refine_pose(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b);

/// Measures one pose as it is.
PoseCandidate verify_pose(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b);

}  // namespace pmtr
