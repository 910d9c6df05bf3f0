// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <vector>

#include "pmtr/core/rigid3.h"

namespace pmtr {

struct OrientedCloud;

/// What the surfaces say about a pose, measured on all points of both fragments. Lengths and areas in the
/// clouds' units, shares from 0 to 1.
struct JointEvidence {
  int contact_points = 0;     ///< fracture points of both sides with a partner that faces them
  double contact_area = 0.0;  ///< mean of the two sides
  double close_area = 0.0;    ///< the same, each point weighted by how well its partner fits: 1 is perfect
  double gap_mean = 0.0;      ///< distance from the other's tangent plane, over the points in contact
  double gap_p95 = 0.0;
  double normal_deviation = 0.0;  ///< mean angle by which partners miss facing each other, radians
  double coverage_a = 0.0;        ///< share of a's fracture surface in contact
  double coverage_b = 0.0;
  double penetration_area = 0.0;  ///< of either surface inside the other fragment, beyond the tolerance
  double penetration_depth =
      0.0;                      ///< the deepest of the points in the band around the surface, 95th percentile
  double same_side_area = 0.0;  ///< of outer surface that runs along the other's, facing the same way
  double blocked_area = 0.0;    ///< of fracture surface that touches outer surface: nothing breaks there
  int border_points = 0;        ///< border points of both sides at the rim of the contact
  double border_agreement =
      0.0;                   ///< share of those with a partner: fracture faces opposed, outer surface goes on
  double border_step = 0.0;  ///< mean height of the step in the outer surface across the joint
};

/// The same in other units: lengths times `unit`, areas times its square.
JointEvidence in_units(JointEvidence evidence, double unit);

/// Tolerances in point spacings.
struct EvidenceOptions {
  double plane_tolerance = 0.6;  ///< distance from the tangent plane of a point in contact
  double lateral = 1.6;          ///< distance between partners
  double depth_tolerance = 1.0;  ///< points less deep inside do not penetrate
};

JointEvidence measure_joint(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b,
                            const EvidenceOptions& options);

/// Sets `touching` (one per fracture point of `moving`) to 1 where `fixed` lies against the break.
void mark_contact(const OrientedCloud& fixed, const OrientedCloud& moving, const Rigid3& fixed_from_moving,
                  const EvidenceOptions& options, std::vector<std::uint8_t>& touching);

/// How well the contact holds the weakest of the six motions of b: the smallest eigenvalue of the matrix of
/// point-to-plane distances, with turns measured at the contact's own radius, over its points. 0: b can slide
/// or turn freely, as along a straight break. Rims that run on hold as well as breaks do.
double contact_stiffness(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b,
                         const EvidenceOptions& options);

}  // namespace pmtr
