// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/pose/oriented_cloud.h"
#include "pmtr/pose/pose_hypotheses.h"

namespace pmtr {

/// How far surfaces may be apart and still count as one, at one stage of the search. Lengths in the cloud's
/// units.
struct ScoreTolerance {
  float plane = 0.0F;    ///< between a point and the tangent plane of its nearest point
  float lateral = 0.0F;  ///< between the points themselves
  float depth = 0.0F;    ///< points deeper inside the other fragment than this penetrate it
  float facing = 0.5F;   ///< least cosine between a normal and the opposite of its partner's
};

/// Points of one surface in random order.
struct DrawnSurface {
  std::vector<OrientedPoint> fracture, outer;
  std::vector<BorderPoint> border;
};

/// At most `most` of each kind.
DrawnSurface draw_surface(const OrientedCloud& cloud, std::size_t most, Random random);

/// Rates poses of a pair on its surfaces, from a few points to all of them.
class SurfaceScore {
 public:
  /// `for_guesses`: quick() will be asked.
  SurfaceScore(const OrientedCloud& a, const OrientedCloud& b, bool for_guesses, Random random);
  /// On points that were drawn before, since drawing them takes longer than to rate ten poses on few of them.
  /// Only full() may be asked.
  SurfaceScore(const OrientedCloud& a, const OrientedCloud& b, DrawnSurface of_a, DrawnSurface of_b);

  /// Points of b around the hypothesis' own, then points of b anywhere: how many touch a and face it, less
  /// those that lie inside. Gives up early on a pose that does not even touch where it says so.
  float quick(const PoseHypothesis& hypothesis, int points, const ScoreTolerance& tolerance) const;

  /// Both ways, on at most `points` fracture points and as many outer ones of each side: contact area less
  /// `penetration_weight` times the area inside the other. In the cloud's units squared.
  float full(const PoseHypothesis& hypothesis, std::size_t points, const ScoreTolerance& tolerance,
             float penetration_weight) const;

 private:
  static constexpr std::size_t patch_size = 12;
  static constexpr std::size_t rim_size = 8;

  void walk_patches(Random& random);
  void walk_rims(Random& random);
  float fracture_rating(const OrientedCloud& fixed, const Eigen::Matrix3f& rotation,
                        const Eigen::Vector3f& translation, const OrientedPoint& point,
                        const ScoreTolerance& tolerance, float penetration_weight) const;
  bool border_continues(const OrientedCloud& fixed, const Eigen::Matrix3f& rotation,
                        const Eigen::Vector3f& translation, const BorderPoint& place,
                        const ScoreTolerance& tolerance) const;
  bool outer_collides(const OrientedCloud& fixed, const Eigen::Matrix3f& rotation,
                      const Eigen::Vector3f& translation, const OrientedPoint& point,
                      const ScoreTolerance& tolerance) const;
  float one_way(const OrientedCloud& fixed, const OrientedCloud& moving,
                const std::vector<OrientedPoint>& fracture, const std::vector<OrientedPoint>& outer,
                const std::vector<BorderPoint>& border, const Eigen::Matrix3f& rotation,
                const Eigen::Vector3f& translation, std::size_t points, const ScoreTolerance& tolerance,
                float penetration_weight) const;

  const OrientedCloud& a_;
  const OrientedCloud& b_;
  std::vector<OrientedPoint> a_fracture_, a_outer_, b_fracture_, b_outer_;  ///< in random order
  std::vector<BorderPoint> a_border_, b_border_;                            ///< in random order
  std::vector<std::array<std::int32_t, patch_size>> b_patches_;  ///< around each fracture point of b
  std::vector<std::array<std::int32_t, rim_size>>
      b_rims_;  ///< along the border of b, around each of its points
};

}  // namespace pmtr
