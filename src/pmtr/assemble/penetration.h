// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/averaging/choose_joints.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {

struct PenetrationOptions {
  /// Points deeper than this many point spacings below the other's surface are inside it.
  double depth = 2.0;
  /// Two parts run through each other if more than this share of the smaller one's points is inside the
  /// other or lies in its wall.
  double most_inside = 0.08;
  int points = 400;  ///< looked at on each side, at most

  Status validate() const;
};

/// The share of the smaller part that is inside the other, 0 to 1.
double penetration_share(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b,
                         const PenetrationOptions& options);

/// A check for solve_joints: no two parts may run through each other. The clouds, of an object of about
/// unit size, must outlive it. It remembers its answers, so one thread at a time may ask.
PairCheck refuse_penetration(std::span<const OrientedCloud> clouds, const PenetrationOptions& options);

}  // namespace pmtr
