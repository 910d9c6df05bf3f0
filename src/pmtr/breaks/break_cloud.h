// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/sample/point_cloud.h"

namespace pmtr {

/// Lengths are in object units (the longest side of the whole object is 1) unless they say otherwise.
struct BreakCloudOptions {
  /// Probabilities are averaged over neighbours within this many point spacings whose normals agree: single
  /// wrong labels vanish while edges between faces stay. 0 takes them as they are.
  double smoothing_radius = 2.5;
  double threshold = 0.6;  ///< averaged probabilities from here on are a break
  double margin = 0.2;     ///< points this little below the threshold are neither break nor outer surface
  double apart = 1.0;      ///< distance between break points, in spacings of the dense cloud
  int most_points = 2000;  ///< where there would be more, they keep a larger distance
  double z_radius = 0.06;  ///< normals are averaged over this, at most a quarter of the fragment
  double x_radius = 0.05;  ///< and outer normals at the rim over this
  double reach = 0.25;     ///< a rim farther away gives no x; distances to the rim end here

  Status validate() const;
};

/// A point on a break with what a descriptor needs to stand on.
struct BreakPoint {
  std::uint32_t index = 0;  ///< in the dense cloud
  Eigen::Vector3f position = Eigen::Vector3f::Zero();
  Eigen::Vector3f normal = Eigen::Vector3f::Zero();  ///< of the dense cloud
  Eigen::Vector3f z = Eigen::Vector3f::Zero();       ///< the normal, averaged over the break around
  Eigen::Vector3f x = Eigen::Vector3f::Zero();       ///< the outer normal at the nearest rim, averaged,
                                                     ///< perpendicular to z; 0 without
  float rim_distance = 0.0F;  ///< to the nearest outer point; at most BreakCloudOptions::reach
  bool has_x = false;         ///< is there a rim near enough, whose normal is not z

  /// The frame's axes as columns, x, y, z. Needs x.
  Eigen::Matrix3f source_axes() const;
  /// As its partner on the other fragment sees the same place: z points into this fragment, x stays. So
  /// a.source_axes() * b.target_axes().transpose() turns b's fragment to where b touches a.
  Eigen::Matrix3f target_axes() const;
};

/// Where a fragment is broken. Two mating breaks are one surface seen from its two sides, so what is built
/// from break points alone is the same on both; outer surfaces go their own ways.
struct BreakCloud {
  std::vector<BreakPoint> points;  ///< evenly spaced

  // All points of the dense cloud that lie on breaks: what descriptors look at.
  std::vector<std::uint32_t> support_index;
  PointCloud support;
  std::vector<float> support_rim;  ///< distance to the nearest outer point

  float spacing = 0.0F;   ///< of the dense cloud: the root of the area of one point
  float diameter = 0.0F;  ///< of the fragment's box
};

/// `fracture` has a probability for every point of `dense`, which has normals. Points are chosen by distances
/// in the order of the cloud: a turned fragment has the same ones.
BreakCloud find_break_cloud(const PointCloud& dense, std::span<const float> fracture,
                            const BreakCloudOptions& options, Threads& threads);

}  // namespace pmtr
