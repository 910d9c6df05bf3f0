// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/scan/surface_noise.h"

#include <cmath>

#include <gtest/gtest.h>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

/// Both sides of a wall that is thinner than the points are apart, each point moved along its normal.
PointCloud wall(double noise) {
  PointCloud cloud;
  Random random(3);
  for (int i = 0; i < 4000; ++i) {
    const double side = i % 2 == 0 ? 1.0 : -1.0;
    cloud.points.emplace_back(
        Eigen::Vector3d(random.uniform(), random.uniform(), 0.002 * side + noise * random.normal())
            .cast<float>());
    cloud.normals.emplace_back(Eigen::Vector3d(0.0, 0.0, side).cast<float>());
  }
  return cloud;
}

TEST(SurfaceNoise, is_what_points_are_off_their_surface) {
  EXPECT_LT(surface_noise(wall(0.0)), 1e-6);
  EXPECT_NEAR(surface_noise(wall(0.001)), 0.001, 0.0002);
  EXPECT_NEAR(surface_noise(wall(0.004)), 0.004, 0.0008);
  // Where points lie further off than apart, their neighbours are those that happen to be near; it still is
  // of the order of their spacing, which is 0.022.
  EXPECT_GT(surface_noise(wall(0.05)), 0.25 * 0.022);
}

PointCloud ball(double noise) {
  PointCloud cloud;
  Random random(5);
  for (int i = 0; i < 5000; ++i) {
    const Eigen::Vector3d n = random.rotation().col(0);
    cloud.normals.push_back(n.cast<float>());
    cloud.points.push_back(((0.1 + noise * random.normal()) * n).cast<float>());
  }
  return cloud;
}

TEST(SurfaceNoise, of_a_curved_surface_is_not_its_curvature) {
  // Points are 0.005 apart on a radius of 0.1.
  EXPECT_LT(surface_noise(ball(0.0)), 0.0001);
  EXPECT_NEAR(surface_noise(ball(0.001)), 0.001, 0.0002);
}

TEST(SurfaceNoise, too_few_points_say_nothing) {
  PointCloud cloud;
  EXPECT_EQ(surface_noise(cloud), 0.0);
  for (int i = 0; i < 4; ++i) {
    cloud.points.emplace_back(0.1F * static_cast<float>(i), 0.0F, 0.0F);
    cloud.normals.emplace_back(0.0F, 0.0F, 1.0F);
  }
  EXPECT_EQ(surface_noise(cloud), 0.0);
}

}  // namespace
}  // namespace pmtr
