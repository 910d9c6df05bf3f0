// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/render/camera.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pmtr {
namespace {

Eigen::Matrix3d eye_from_world_rotation(const Eigen::Vector3d& towards_eye, const Eigen::Vector3d& up) {
  const Eigen::Vector3d z = towards_eye.normalized();
  Eigen::Vector3d x = up.cross(z);
  // Looking along the upward direction: any other will do.
  if (x.norm() < 1e-6 * up.norm()) x = z.unitOrthogonal();
  x.normalize();
  Eigen::Matrix3d rotation;
  rotation << x.transpose(), z.cross(x).transpose(), z.transpose();
  return rotation;
}

/// Along one axis: a point at (p, z) is within the view of an eye at (c, d) if |p - c| <= t (d - z). So the
/// points bound t d + c from below by `high`, and t d - c by `low`.
struct AxisFit {
  double high = -std::numeric_limits<double>::infinity();
  double low = -std::numeric_limits<double>::infinity();

  void add(double p, double z, double t) {
    high = std::max(high, p + t * z);
    low = std::max(low, -p + t * z);
  }
  double centre() const { return (high - low) / 2; }
  double distance(double t) const { return (high + low) / (2 * t); }
};

}  // namespace

Camera camera_that_sees(std::span<const Eigen::Vector3d> points, const Eigen::Vector3d& towards_eye,
                        const Eigen::Vector3d& up, double tan_x, double tan_y, double margin) {
  Camera camera;
  camera.tan_x = tan_x;
  camera.tan_y = tan_y;
  const Eigen::Matrix3d rotation = eye_from_world_rotation(towards_eye, up);
  const double used = 1.0 - 2.0 * margin;
  AxisFit fit_x;
  AxisFit fit_y;
  double nearest = -std::numeric_limits<double>::infinity();
  double farthest = std::numeric_limits<double>::infinity();
  for (const Eigen::Vector3d& point : points) {
    const Eigen::Vector3d p = rotation * point;
    fit_x.add(p.x(), p.z(), tan_x * used);
    fit_y.add(p.y(), p.z(), tan_y * used);
    nearest = std::max(nearest, p.z());
    farthest = std::min(farthest, p.z());
  }
  Eigen::Vector3d eye(0, 0, 1);
  if (!points.empty()) {
    const double fitted = std::max(fit_x.distance(tan_x * used), fit_y.distance(tan_y * used));
    // A single point, or a needle seen along its axis, fits from any distance.
    const double least = nearest + std::max({1e-3 * (nearest - farthest), 1e-9 * std::abs(nearest), 1e-12});
    eye = {fit_x.centre(), fit_y.centre(), std::max(fitted, least)};
  }
  camera.eye_from_world = {rotation, -eye};
  return camera;
}

}  // namespace pmtr
