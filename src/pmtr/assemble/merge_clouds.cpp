// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/merge_clouds.h"

#include <algorithm>
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

JointCover::JointCover(std::span<const StandingCloud> parts, std::size_t own) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == own) continue;
    const Rigid3 there = parts[i].world_from_cloud.inverse() * parts[own].world_from_cloud;
    others_.push_back({parts[i].cloud, there.rotation.cast<float>(), there.translation.cast<float>()});
  }
}

bool JointCover::operator()(const Eigen::Vector3f& position, const Eigen::Vector3f& normal) const {
  return std::any_of(others_.begin(), others_.end(), [&](const Neighbour& n) {
    return in_joint(*n.cloud, n.rotation * position + n.translation, n.rotation * normal);
  });
}

OrientedCloud merge_clouds(std::span<const StandingCloud> parts, const OrientedCloudOptions& options,
                           Threads& threads) {
  PointCloud merged;
  std::vector<float> scores;
  double area = 0.0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const StandingCloud& part = parts[i];
    const JointCover hidden(parts, i);
    const Eigen::Matrix3f rotation = part.world_from_cloud.rotation.cast<float>();
    const Eigen::Vector3f translation = part.world_from_cloud.translation.cast<float>();
    for (const OrientedPoint& p : part.cloud->points) {
      if (hidden(p.position, p.normal)) continue;
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

FragmentFeatures merge_breaks(std::span<const StandingCloud> parts,
                              std::span<const FragmentFeatures* const> features) {
  FragmentFeatures merged;
  const auto append = [](FeatureMatrix& to, const FeatureMatrix& from, std::size_t row) {
    const std::span<const float> values = from.row(static_cast<std::int64_t>(row));
    to.values.insert(to.values.end(), values.begin(), values.end());
    to.columns = from.columns;
    ++to.rows;
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const JointCover hidden(parts, i);
    const Eigen::Matrix3f rotation = parts[i].world_from_cloud.rotation.cast<float>();
    const Eigen::Vector3f translation = parts[i].world_from_cloud.translation.cast<float>();
    const std::vector<BreakPoint>& points = features[i]->breaks.points;
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (hidden(points[k].position, points[k].normal)) continue;
      BreakPoint point = points[k];
      point.position = rotation * point.position + translation;
      for (Eigen::Vector3f* axis : {&point.normal, &point.z, &point.x}) *axis = rotation * *axis;
      merged.breaks.points.push_back(point);
      merged.points.push_back(point.position);
      append(merged.as_source.fine, features[i]->as_source.fine, k);
      append(merged.as_target.fine, features[i]->as_target.fine, k);
    }
  }
  return merged;
}

}  // namespace pmtr
