// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/metrics.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pmtr/core/check.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

constexpr double degrees = 180.0 / std::numbers::pi;

double mean_squared_to_nearest(std::span<const Eigen::Vector3f> from, std::span<const Eigen::Vector3f> to,
                               Threads& threads) {
  const NeighbourTable nearest = find_neighbours(from, to, /*radius=*/1e9F, 1, TieOrder::index, threads);
  double sum = 0.0;
  for (std::size_t i = 0; i < from.size(); ++i)
    sum += static_cast<double>((from[i] - to[static_cast<std::size_t>(nearest.index[i])]).squaredNorm());
  return sum / static_cast<double>(from.size());
}

/// Angles x, y, z of R = Rz Ry Rx.
Eigen::Vector3d fixed_axis_angles(const Eigen::Matrix3d& r) {
  const double sine = std::clamp(-r(2, 0), -1.0, 1.0);
  // Where y is a right angle, x and z turn about one axis; the convention puts all of it into x.
  if (std::abs(sine) > 1.0 - 1e-12) return {std::atan2(-r(1, 2), r(1, 1)), std::asin(sine), 0.0};
  return {std::atan2(r(2, 1), r(2, 2)), std::asin(sine), std::atan2(r(1, 0), r(0, 0))};
}

}  // namespace

double correspondence_distance(std::span<const Eigen::Vector3f> a, std::span<const Eigen::Vector3f> b) {
  PMTR_CHECK(a.size() == b.size() && !a.empty(), "the same points twice");
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>((a[i] - b[i]).norm());
  return sum / static_cast<double>(a.size());
}

double chamfer_distance(std::span<const Eigen::Vector3f> a, std::span<const Eigen::Vector3f> b,
                        Threads& threads) {
  PMTR_CHECK(!a.empty() && !b.empty(), "two clouds");
  return mean_squared_to_nearest(a, b, threads) + mean_squared_to_nearest(b, a, threads);
}

double euler_rmse_degrees(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) {
  const Eigen::Vector3d difference = degrees * (fixed_axis_angles(a) - fixed_axis_angles(b));
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double apart = std::fmod(std::abs(difference[i]), 360.0);
    const double short_way = std::min(apart, 360.0 - apart);
    sum += short_way * short_way;
  }
  return std::sqrt(sum / 3.0);
}

double geodesic_degrees(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) {
  return rotation_angle(a, b) * degrees;
}

double translation_rmse(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return std::sqrt((a - b).squaredNorm() / 3.0);
}

}  // namespace pmtr
