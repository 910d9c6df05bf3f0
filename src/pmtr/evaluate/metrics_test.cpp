// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/metrics.h"

#include <numbers>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

using Cloud = std::vector<Eigen::Vector3f>;

Eigen::Matrix3d turn(double degrees, const Eigen::Vector3d& axis) {
  return Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, axis.normalized()).toRotationMatrix();
}

TEST(Metrics, distances_by_hand) {
  const Cloud a{{0, 0, 0}, {1, 0, 0}};
  const Cloud b{{0, 0, 3}, {1, 4, 0}};
  EXPECT_NEAR(correspondence_distance(a, b), 3.5, 1e-6);
  // a -> b: 9 and 10 (to the first of b); b -> a: 9 and 16.
  EXPECT_NEAR(chamfer_distance(a, b, Threads::none()), (9.0 + 10.0) / 2.0 + (9.0 + 16.0) / 2.0, 1e-5);
  EXPECT_EQ(chamfer_distance(a, a, Threads::none()), 0.0);
  EXPECT_NEAR(translation_rmse({1, 2, 3}, {1, 2, 6}), std::sqrt(3.0), 1e-12);
}

TEST(Metrics, angles_by_hand) {
  const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
  EXPECT_NEAR(geodesic_degrees(one, turn(50, {1, 2, 3})), 50.0, 1e-9);
  EXPECT_NEAR(geodesic_degrees(one, turn(180, {1, 0, 0})), 180.0, 1e-5);
  EXPECT_NEAR(geodesic_degrees(one, turn(1e-7, {0, 1, 0})), 1e-7, 1e-12);
  EXPECT_NEAR(euler_rmse_degrees(one, turn(30, {0, 0, 1})), 30.0 / std::sqrt(3.0), 1e-9);
  // The short way from 170 to -170 is 20.
  EXPECT_NEAR(euler_rmse_degrees(turn(170, {1, 0, 0}), turn(-170, {1, 0, 0})), 20.0 / std::sqrt(3.0), 1e-9);
  const Eigen::Matrix3d angles = turn(30, {0, 0, 1}) * turn(20, {0, 1, 0}) * turn(10, {1, 0, 0});
  EXPECT_NEAR(euler_rmse_degrees(one, angles), std::sqrt((900.0 + 400.0 + 100.0) / 3.0), 1e-9);
  EXPECT_TRUE(std::isfinite(euler_rmse_degrees(one, turn(90, {0, 1, 0}))));
}

TEST(Metrics, random_rotations_are_as_far_apart_as_the_integrals_say) {
  Random random(1);
  double euler = 0.0, geodesic = 0.0;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) {
    const Eigen::Matrix3d a = random.rotation();
    const Eigen::Matrix3d b = random.rotation();
    euler += std::pow(euler_rmse_degrees(a, b), 2) / count;
    geodesic += geodesic_degrees(a, b) / count;
  }
  constexpr double pi = std::numbers::pi;
  // The angles about x and z are uniform: their short way is uniform in 0 to 180. The angle about y has a
  // uniform sine: its variance is pi^2 / 4 - 2.
  const double y = 2.0 * (pi * pi / 4.0 - 2.0) * std::pow(180.0 / pi, 2);
  EXPECT_NEAR(std::sqrt(euler), std::sqrt((2.0 * 180.0 * 180.0 / 3.0 + y) / 3.0), 0.5);
  EXPECT_NEAR(geodesic, (pi / 2.0 + 2.0 / pi) * 180.0 / pi, 0.5);
}

}  // namespace
}  // namespace pmtr
