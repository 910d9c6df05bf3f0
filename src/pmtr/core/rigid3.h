// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <numbers>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace pmtr {

/// A rotation followed by a translation. Variables are named target_from_source, so that
/// `a_from_c = a_from_b * b_from_c` can be checked by eye.
struct Rigid3 {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();

  static Rigid3 from_translation(const Eigen::Vector3d& translation) {
    return {Eigen::Matrix3d::Identity(), translation};
  }

  Rigid3 inverse() const { return {rotation.transpose(), -(rotation.transpose() * translation)}; }

  Eigen::Matrix4d matrix() const {
    Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
    m.topLeftCorner<3, 3>() = rotation;
    m.topRightCorner<3, 1>() = translation;
    return m;
  }
};

inline Rigid3 operator*(const Rigid3& a_from_b, const Rigid3& b_from_c) {
  return {a_from_b.rotation * b_from_c.rotation,
          a_from_b.rotation * b_from_c.translation + a_from_b.translation};
}

inline Eigen::Vector3d operator*(const Rigid3& a_from_b, const Eigen::Vector3d& point_in_b) {
  return a_from_b.rotation * point_in_b + a_from_b.translation;
}

/// Geodesic angle between two rotations, in radians.
inline double rotation_angle(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) {
  return Eigen::AngleAxisd(a.transpose() * b).angle();
}

/// The same in degrees.
inline double rotation_angle_deg(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) {
  return rotation_angle(a, b) * 180.0 / std::numbers::pi;
}

}  // namespace pmtr
