// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "pmtr/fracture/cut/height_noise.h"

namespace pmtr {

/// A rough surface that cuts a cell: a height over a plane. Because it is a height, a point of the plane
/// gives the point of the surface, and what the surface cuts out can be triangulated in the plane.
struct CutSurface {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  Eigen::Matrix3d axes =
      Eigen::Matrix3d::Identity();  ///< columns: two directions in the plane, and the normal
  HeightNoise noise;

  Eigen::Vector2d project(const Eigen::Vector3d& point) const {
    return axes.leftCols<2>().transpose() * (point - origin);
  }
  Eigen::Vector3d point(const Eigen::Vector2d& uv) const {
    return origin + axes * Eigen::Vector3d(uv.x(), uv.y(), noise.height(uv.x(), uv.y()));
  }
  /// Height of the point above the surface.
  double above(const Eigen::Vector3d& point) const {
    const Eigen::Vector3d local = axes.transpose() * (point - origin);
    return local.z() - noise.height(local.x(), local.y());
  }
};

}  // namespace pmtr
