// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/core/threads.h"
#include "pmtr/pose/nearest_field.h"
#include "pmtr/sample/point_cloud.h"

namespace pmtr {

struct OrientedCloudOptions {
  /// Points whose fracture score is at least this may belong to the fracture surface. Low, since every point
  /// counts only as much as its score says, and one left out cannot be found in contact.
  double min_fracture_score = 0.2;
  /// Where the score passes this the fracture meets the outer surface.
  double border_score = 0.5;
  /// Scores are averaged over neighbours within this many point spacings whose normals agree, so that single
  /// wrong labels vanish while edges between faces stay. 0 takes them as they are.
  double smoothing_radius = 2.5;

  Status validate() const;
};

/// One point of a surface; half a cache line.
struct OrientedPoint {
  Eigen::Vector3f position;
  float score = 0.0F;  ///< how surely it lies on a fracture, 0 to 1
  Eigen::Vector3f normal;
  std::int32_t index = 0;  ///< in the cloud it came from
};

/// A place where the fracture surface meets the outer one. Two normals and a position are a whole frame, so
/// one such place on each fragment makes a pose.
struct BorderPoint {
  Eigen::Vector3f position;
  Eigen::Vector3f fracture_normal;
  Eigen::Vector3f outer_normal;
  std::int32_t fracture_point = 0;  ///< nearest in OrientedCloud::fracture
};

/// A fragment made ready for the pose search: everything that depends on one fragment alone.
struct OrientedCloud {
  static constexpr int neighbour_count = 8;

  std::vector<OrientedPoint> points;
  std::vector<OrientedPoint> fracture;  ///< the points on fractures
  std::vector<OrientedPoint> outer;     ///< the others
  std::vector<BorderPoint> border;
  /// Of each fracture point, nearest first; itself where there are fewer.
  std::vector<std::array<std::int32_t, neighbour_count>> fracture_neighbours;
  std::vector<std::uint8_t> near_border;  ///< per point: within two spacings of a border point
  NearestField surface_field;             ///< of points; knows the inside
  NearestField fracture_field;            ///< of fracture
  NearestField border_field;              ///< of border
  float spacing = 0.0F;                   ///< sqrt(area per point)
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();

  double point_area() const { return static_cast<double>(spacing) * static_cast<double>(spacing); }
  double reach() const;  ///< of the points from the centre
};

/// `cloud` has normals; `scores` are fracture scores, one per point; `area` is the surface the points share.
OrientedCloud orient_cloud(const PointCloud& cloud, std::span<const float> scores, double area,
                           const OrientedCloudOptions& options, Threads& threads);

/// The same points with other scores; what depends on the surface alone is not made again.
OrientedCloud with_scores(const OrientedCloud& cloud, std::span<const float> scores,
                          const OrientedCloudOptions& options, Threads& threads);

}  // namespace pmtr
