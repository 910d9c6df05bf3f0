// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {

/// A guess, in single precision: there are very many of them.
struct PoseHypothesis {
  Eigen::Matrix3f rotation;  ///< a_from_b
  Eigen::Vector3f translation;
  std::int32_t b_first = 0;  ///< the fracture points of b it rests on
  std::int32_t b_second = 0;
  std::int32_t b_border = -1;  ///< the border point of b it rests on, if it does

  Rigid3 pose() const;
  static PoseHypothesis of(const Rigid3& a_from_b);
};

/// One border point on each fragment: fracture normals opposed, outer normals equal. All combinations whose
/// angles agree, or an evenly drawn part of them if there are more than `limit`.
std::vector<PoseHypothesis> border_hypotheses(const OrientedCloud& a, const OrientedCloud& b,
                                              std::size_t limit, Random random);

struct PointPairOptions {
  int seeds = 500;             ///< points of b whose pairs are stored
  int draws = 20000;           ///< pairs of a looked up
  int hits_per_draw = 8;       ///< poses from one draw at most; a crowded bucket says little
  double min_distance = 4.0;   ///< between the two points, in point spacings
  double distance_step = 1.5;  ///< of the quantised distance, in point spacings
  double angle_step = 0.25;    ///< of the three quantised angles, radians
};

/// Two oriented points on each fragment with equal distance and angles, one side's normals flipped: two
/// mating surfaces are one surface seen from its two sides.
std::vector<PoseHypothesis> point_pair_hypotheses(const OrientedCloud& a, const OrientedCloud& b,
                                                  const PointPairOptions& options, Random random);

}  // namespace pmtr
