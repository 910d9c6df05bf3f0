// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

#include "pmtr/core/rigid3.h"
#include "pmtr/core/threads.h"
#include "pmtr/sample/point_cloud.h"

namespace pmtr {

/// How two fragments touch in a given pose, measured on their surfaces and not on the matches that made the
/// pose. Lengths are in the clouds' units.
struct Contact {
  std::int64_t points = 0;  ///< points of b whose nearest point of a is near and faces them
  double area = 0.0;        ///< what these points stand for
  double gap_mean = 0.0;    ///< distance to the other surface over the points in contact
  double gap_p95 = 0.0;
  double penetration = 0.0;  ///< how deep the points in contact lie inside a, 95th percentile
};

/// `a` and `b` are dense clouds with normals; `b_area` is the surface area that b's points share evenly.
/// Points within `tolerance` with opposed normals are in contact.
Contact measure_contact(const PointCloud& a, const PointCloud& b, const Rigid3& a_from_b, double b_area,
                        double tolerance, Threads& threads);

}  // namespace pmtr
