// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/kernel_points.h"

#include <algorithm>
#include <cmath>

#include "pmtr/core/check.h"

namespace pmtr {

std::vector<Eigen::Vector3d> arrange_kernel_points(int count, double radius, Random& random) {
  PMTR_CHECK(count >= 1);
  std::vector<Eigen::Vector3d> points(static_cast<std::size_t>(count), Eigen::Vector3d::Zero());
  for (std::size_t i = 1; i < points.size(); ++i)
    points[i] = random.rotation().col(0) * random.uniform(0.5, 1.0);

  // Plain gradient descent with a bounded, shrinking step: fifteen points need no better.
  constexpr int iterations = 2000;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const double step = 0.1 * (1.0 - static_cast<double>(iteration) / iterations);
    std::vector<Eigen::Vector3d> forces(points.size(), Eigen::Vector3d::Zero());
    for (std::size_t i = 1; i < points.size(); ++i) {
      for (std::size_t j = 0; j < points.size(); ++j) {
        if (i == j) continue;
        const Eigen::Vector3d away = points[i] - points[j];
        const double distance = std::max(away.norm(), 1e-6);
        forces[i] += away / (distance * distance * distance);
      }
      // Strong enough that the equilibrium stays of the order of the unit ball.
      forces[i] -= 2.0 * static_cast<double>(count) * points[i];
    }
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double size = forces[i].norm();
      points[i] += forces[i] * std::min(step * 0.05, size > 0.0 ? step / size : 0.0);
    }
  }
  double mean_radius = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) mean_radius += points[i].norm();
  if (count > 1) {
    const double scale = 0.66 * radius * (count - 1) / mean_radius;
    const Eigen::Matrix3d turn = random.rotation();
    for (auto& point : points) point = turn * point * scale;
  }
  return points;
}

}  // namespace pmtr
