// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/match/correspondences.h"

namespace pmtr {

struct RegistrationOptions {
  /// A patch makes a hypothesis from at least this many correspondences.
  int min_patch_correspondences = 3;
  /// A correspondence agrees with a pose if it is off by less than this, in object units.
  double acceptance_radius = 0.04;
  /// Fits to the agreeing correspondences after a hypothesis is chosen.
  int refinement_steps = 5;
  /// Hypotheses from points nearly on a line (sigma2 / sigma1 of their covariance below this) are rejected,
  /// for the turn about the line is arbitrary. 0 keeps all, as the reference does.
  double min_rank_ratio = 0.02;
  /// The reference falls back to a fit of all correspondences, down to the identity when there are none;
  /// otherwise that is "no pose found".
  bool always_answer = false;

  static RegistrationOptions reference();
  Status validate() const;
};

/// A pose that many correspondences agree with.
struct Registration {
  Rigid3 a_from_b;            ///< a is the source
  int hypotheses = 0;         ///< patches that made one
  int inliers = 0;            ///< correspondences that agree with the final pose
  double inlier_share = 0.0;  ///< of the total score of all correspondences
  double rank_ratio = 0.0;    ///< of the final fit
};

/// Local-to-global registration: each patch proposes the pose that fits its own correspondences, the proposal
/// most correspondences agree with is kept and refined on those. Nothing if there is no trustworthy proposal.
std::optional<Registration> register_local_to_global(std::span<const Eigen::Vector3f> source_points,
                                                     std::span<const Eigen::Vector3f> target_points,
                                                     std::span<const Correspondence> correspondences,
                                                     const RegistrationOptions& options);

}  // namespace pmtr
