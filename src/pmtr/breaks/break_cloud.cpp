// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/breaks/break_cloud.h"

#include <cmath>

#include <Eigen/Geometry>

#include "pmtr/breaks/break_frames.h"
#include "pmtr/breaks/break_labels.h"
#include "pmtr/breaks/even_subset.h"
#include "pmtr/core/check.h"

namespace pmtr {
namespace {

Eigen::Matrix3f axes_of(const Eigen::Vector3f& x, const Eigen::Vector3f& z) {
  Eigen::Matrix3f axes;
  axes.col(0) = x;
  axes.col(1) = z.cross(x);
  axes.col(2) = z;
  return axes;
}

float box_diameter(const PointCloud& cloud) {
  Eigen::Vector3f centre = Eigen::Vector3f::Zero();
  for (const auto& p : cloud.points) centre += p / static_cast<float>(cloud.points.size());
  // By distances and not by the box's sides: the same for a turned fragment.
  float farthest = 0.0F;
  for (const auto& p : cloud.points) farthest = std::max(farthest, (p - centre).norm());
  return 2.0F * farthest;
}

/// Enough distance for at most `most` points.
EvenSubset choose_points(const PointCloud& support, float distance, int most) {
  const auto limit = static_cast<std::size_t>(most);
  for (;;) {
    EvenSubset subset = choose_apart(support.points, support.normals, distance);
    if (subset.chosen.size() <= limit) return subset;
    const float excess = static_cast<float>(subset.chosen.size()) / static_cast<float>(limit);
    distance *= std::max(1.02F, std::sqrt(excess));
  }
}

}  // namespace

Eigen::Matrix3f BreakPoint::source_axes() const { return axes_of(x, z); }
Eigen::Matrix3f BreakPoint::target_axes() const { return axes_of(x, -z); }

Status BreakCloudOptions::validate() const {
  const auto bad = [](const char* message) { return Error{Cause::invalid_option, message, {}}; };
  if (!(smoothing_radius >= 0.0 && smoothing_radius <= 10.0))
    return bad("the smoothing radius must be 0 to 10 point spacings");
  if (!(threshold > 0.0 && threshold <= 1.0)) return bad("the threshold of a break must be in (0, 1]");
  if (!(margin >= 0.0 && margin < threshold)) return bad("the margin must be from 0 to the threshold");
  if (!(apart > 0.0 && apart <= 100.0)) return bad("break points must be more than 0 spacings apart");
  if (most_points < 1) return bad("there must be at least one break point");
  if (!(z_radius > 0.0 && x_radius > 0.0 && reach > 0.0)) return bad("radii and reach must be positive");
  return {};
}

BreakCloud find_break_cloud(const PointCloud& dense, std::span<const float> fracture,
                            const BreakCloudOptions& options, Threads& threads) {
  PMTR_CHECK(dense.normals.size() == dense.points.size(), "break points need normals");
  PMTR_CHECK(fracture.size() == dense.points.size(), "one fracture probability per point");
  BreakCloud cloud;
  if (dense.points.empty()) return cloud;
  cloud.diameter = box_diameter(dense);
  cloud.spacing = point_spacing(dense, threads);
  // Points that all coincide have no spacing; any will do.
  if (!(cloud.spacing > 0.0F)) cloud.spacing = 0.01F;
  const std::vector<float> smooth =
      smooth_labels(dense, fracture, static_cast<float>(options.smoothing_radius) * cloud.spacing, threads);
  const auto broken = static_cast<float>(options.threshold);
  const auto whole = static_cast<float>(options.threshold - options.margin);
  PointCloud outer;
  for (std::size_t i = 0; i < dense.points.size(); ++i) {
    if (smooth[i] >= broken) {
      cloud.support_index.push_back(static_cast<std::uint32_t>(i));
      cloud.support.points.push_back(dense.points[i]);
      cloud.support.normals.push_back(dense.normals[i]);
    } else if (smooth[i] < whole) {
      outer.points.push_back(dense.points[i]);
      outer.normals.push_back(dense.normals[i]);
    }
  }
  if (cloud.support.points.empty()) return cloud;
  const NearestRim rim =
      find_nearest_rim(cloud.support.points, outer.points, static_cast<float>(options.reach), threads);
  cloud.support_rim = rim.distance;
  const EvenSubset subset =
      choose_points(cloud.support, static_cast<float>(options.apart) * cloud.spacing, options.most_points);
  std::vector<std::int32_t> point_rim;
  for (const std::uint32_t i : subset.chosen) {
    BreakPoint point;
    point.index = cloud.support_index[i];
    point.position = cloud.support.points[i];
    point.normal = cloud.support.normals[i];
    point.rim_distance = rim.distance[i];
    cloud.points.push_back(point);
    point_rim.push_back(rim.outer[i]);
  }
  find_frames(cloud, outer, point_rim, options, threads);
  return cloud;
}

}  // namespace pmtr
