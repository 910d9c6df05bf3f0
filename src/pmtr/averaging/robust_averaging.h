// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include "pmtr/averaging/rotation_averaging.h"

namespace pmtr {

struct RobustAveragingOptions {
  /// Edges that are off by more are wrong; they have no say at all.
  double inlier_angle_deg = 10.0;
  /// How much sharper the line between right and wrong gets from round to round.
  double sharpening = 1.4;
  int max_rounds = 60;
  RotationAveragingOptions averaging;

  Status validate() const;
};

struct RobustAveraging {
  RotationAveraging averaging;  ///< of the edges that are kept; residuals of all
  std::vector<bool> kept;       ///< per edge
  int rounds = 0;
};

/// Rotation averaging that wrong edges cannot bend: truncated least squares by graduated non-convexity (Yang
/// et al. 2020), started from the edges that most others agree with (over 300 nodes: without those that close
/// none of their triangles although others do). An edge that alone holds two sides together is always kept,
/// for nothing contradicts it. The graph must be connected.
Result<RobustAveraging> average_rotations_robustly(const PoseGraph& graph,
                                                   const RobustAveragingOptions& options);

}  // namespace pmtr
