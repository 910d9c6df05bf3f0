// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/merge_clouds.h"

#include <cmath>
#include <vector>

namespace pmtr {
namespace {

/// Does another part's surface lie against this point?
bool in_joint(const OrientedCloud& other, const Eigen::Vector3f& at, const Eigen::Vector3f& normal) {
  const std::int32_t near = other.surface_field.lookup(at);
  if (near < 0) return false;
  const OrientedPoint& p = other.points[static_cast<std::size_t>(near)];
  const Eigen::Vector3f offset = at - p.position;
  return std::abs(offset.dot(p.normal)) < 0.8F * other.spacing &&
         offset.squaredNorm() < 2.5F * other.spacing * other.spacing && p.normal.dot(normal) < -0.6F;
}

}  // namespace

OrientedCloud merge_clouds(std::span<const StandingCloud> parts, const OrientedCloudOptions& options,
                           Threads& threads) {
  PointCloud merged;
  std::vector<float> scores;
  double area = 0.0;
  for (const StandingCloud& part : parts) {
    struct Neighbour {
      const OrientedCloud* cloud;
      Eigen::Matrix3f rotation;
      Eigen::Vector3f translation;
    };
    std::vector<Neighbour> others;
    for (const StandingCloud& other : parts) {
      if (&other == &part) continue;
      const Rigid3 there = other.world_from_cloud.inverse() * part.world_from_cloud;
      others.push_back({other.cloud, there.rotation.cast<float>(), there.translation.cast<float>()});
    }
    const Eigen::Matrix3f rotation = part.world_from_cloud.rotation.cast<float>();
    const Eigen::Vector3f translation = part.world_from_cloud.translation.cast<float>();
    for (const OrientedPoint& p : part.cloud->points) {
      bool hidden = false;
      for (const Neighbour& n : others) {
        hidden = in_joint(*n.cloud, n.rotation * p.position + n.translation, n.rotation * p.normal);
        if (hidden) break;
      }
      if (hidden) continue;
      merged.points.push_back(rotation * p.position + translation);
      merged.normals.push_back(rotation * p.normal);
      scores.push_back(p.score);
      area += part.cloud->point_area();
    }
  }
  // Everything lies in joints: nothing is left to be joined to.
  if (merged.points.empty()) return {};
  OrientedCloudOptions as_they_are = options;
  as_they_are.smoothing_radius = 0.0;  // they have been smoothed already
  return orient_cloud(merged, scores, area, as_they_are, threads);
}

}  // namespace pmtr
