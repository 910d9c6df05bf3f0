// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cmath>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr::test {

/// A block of 1 x 0.6 x 0.4 broken across by the wavy surface x = wave(y, z); both pieces, in the assembled
/// pose. Test support.
struct BrokenBlock {
  PointCloud low, high;
  std::vector<float> low_scores, high_scores;
  double low_area = 0.0, high_area = 0.0;

  static double wave(double y, double z, double height) {
    return height * (std::sin(9.0 * y + 1.0) * std::cos(8.0 * z) + 0.7 * std::sin(13.0 * z - 4.0 * y));
  }

  /// `height` 0 makes a flat cut.
  explicit BrokenBlock(double height, double step = 0.012) {
    const auto add = [&](bool lower, double x, double y, double z, const Eigen::Vector3d& normal,
                         float score) {
      (lower ? low : high).points.push_back(Eigen::Vector3d(x, y, z).cast<float>());
      (lower ? low : high).normals.push_back(normal.normalized().cast<float>());
      (lower ? low_scores : high_scores).push_back(score);
    };
    // The two samples of the fracture are shifted against each other, as two scans would be.
    for (const bool lower : {true, false}) {
      const double shift = lower ? 0.0 : 0.5 * step;
      for (double y = 0.3 * step + shift; y < 0.6; y += step) {
        for (double z = 0.3 * step + shift; z < 0.4; z += step) {
          const double e = 1e-5;
          const double dy = (wave(y + e, z, height) - wave(y - e, z, height)) / (2.0 * e);
          const double dz = (wave(y, z + e, height) - wave(y, z - e, height)) / (2.0 * e);
          const double side = lower ? 1.0 : -1.0;
          add(lower, wave(y, z, height), y, z, side * Eigen::Vector3d(1.0, -dy, -dz), 1.0F);
          add(lower, lower ? -0.5 : 0.5, y, z, Eigen::Vector3d(-side, 0.0, 0.0), 0.0F);
        }
      }
      for (double x = -0.5 + 0.5 * step + shift; x < 0.5; x += step) {
        const auto wall = [&](double y, double z, const Eigen::Vector3d& normal) {
          if ((x < wave(y, z, height)) == lower) add(lower, x, y, z, normal, 0.0F);
        };
        for (double y = 0.3 * step + shift; y < 0.6; y += step) {
          wall(y, 0.0, {0.0, 0.0, -1.0});
          wall(y, 0.4, {0.0, 0.0, 1.0});
        }
        for (double z = 0.3 * step + shift; z < 0.4; z += step) {
          wall(0.0, z, {0.0, -1.0, 0.0});
          wall(0.6, z, {0.0, 1.0, 0.0});
        }
      }
    }
    low_area = static_cast<double>(low.points.size()) * step * step;
    high_area = static_cast<double>(high.points.size()) * step * step;
  }

  OrientedCloud a(const OrientedCloudOptions& options = {}) const {
    return orient_cloud(low, low_scores, low_area, options, Threads::none());
  }
  /// The other piece, moved by `b_from_world`.
  OrientedCloud b(const Rigid3& b_from_world, const OrientedCloudOptions& options = {}) const {
    PointCloud moved = high;
    for (auto& p : moved.points) p = (b_from_world * p.cast<double>().eval()).cast<float>();
    for (auto& n : moved.normals) n = b_from_world.rotation.cast<float>() * n;
    return orient_cloud(moved, high_scores, high_area, options, Threads::none());
  }
};

inline Rigid3 some_motion(std::uint64_t seed) {
  Random random(seed);
  return {random.rotation(),
          {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)}};
}

inline double degrees_between(const Rigid3& x, const Rigid3& y) {
  return rotation_angle_deg(x.rotation, y.rotation);
}

}  // namespace pmtr::test
