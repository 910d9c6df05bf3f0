// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include <Eigen/Core>

#include "pmtr/core/rigid3.h"

namespace pmtr {

/// A pinhole. In its own frame x goes right, y up, and it looks along -z.
struct Camera {
  Rigid3 eye_from_world;
  double tan_x = 0.2;  ///< half the width of the picture at distance 1
  double tan_y = 0.2;

  /// -1 to 1 over the picture (y up), and the distance in front of the eye (not positive: behind it).
  Eigen::Vector3d project(const Eigen::Vector3d& point_in_eye) const {
    const double depth = -point_in_eye.z();
    return {point_in_eye.x() / (depth * tan_x), point_in_eye.y() / (depth * tan_y), depth};
  }
};

/// The nearest camera in the given direction that sees all points, each at least the margin (a share of the
/// picture) away from the border. Without points, one that looks at the origin.
Camera camera_that_sees(std::span<const Eigen::Vector3d> points, const Eigen::Vector3d& towards_eye,
                        const Eigen::Vector3d& up, double tan_x, double tan_y, double margin);

}  // namespace pmtr
