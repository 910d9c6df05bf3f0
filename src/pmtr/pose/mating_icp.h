// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>

#include "pmtr/core/rigid3.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {

/// One round of refinement. Lengths in point spacings.
struct IcpRound {
  int steps = 6;
  double first_tolerance = 3.0;  ///< points farther than this from the other's tangent plane do not pull
  double last_tolerance = 1.0;   ///< it shrinks to this, geometrically
  std::size_t points = 250;      ///< of each side's fracture points, evenly picked; 0: all
  double border_weight = 1.0;    ///< pull of a border point relative to a fracture point; 0 leaves them out
  double penetration_weight =
      1.0;  ///< how much more a point inside the other fragment pulls than one before it
};

struct IcpResult {
  Rigid3 a_from_b;
  int pulled = 0;         ///< fracture points that had a partner in the last step
  double residual = 0.0;  ///< root mean square distance of those from the tangent planes
};

/// ICP on the mating surfaces alone: points whose partners on the other fracture surface face them are pulled
/// onto each other's tangent planes. Where the fracture is flat that leaves a slide open; border points close
/// it, for the outer surface goes on across the joint.
IcpResult refine_mating(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b,
                        const IcpRound& round);

/// A fragment that stays where it is.
struct StandingCloud {
  const OrientedCloud* cloud = nullptr;
  Rigid3 world_from_cloud;
};

/// The same against several fragments at once: the moving one is pulled onto all that stand around it.
/// The result's pose is world_from_moving.
IcpResult refine_among(std::span<const StandingCloud> standing, const OrientedCloud& moving,
                       const Rigid3& world_from_moving, const IcpRound& round);

}  // namespace pmtr
