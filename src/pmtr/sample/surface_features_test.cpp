// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/surface_features.h"

#include <gtest/gtest.h>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

PointCloud plane(float height, float facing, int side) {
  PointCloud cloud;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      cloud.points.emplace_back(0.01F * static_cast<float>(i), 0.01F * static_cast<float>(j), height);
      cloud.normals.emplace_back(0.0F, 0.0F, facing);
    }
  }
  return cloud;
}

float at(const SurfaceFeatures& features, std::int64_t row, int radius, int which) {
  return features.values[static_cast<std::size_t>(row * SurfaceFeatures::width +
                                                  radius * SurfaceFeatures::per_radius + which)];
}

TEST(SurfaceFeatures, a_plane_is_flat_and_faces_one_way) {
  const PointCloud cloud = plane(0.0F, 1.0F, 60);
  const SurfaceFeatures features = find_surface_features(cloud, cloud, Threads::none());
  ASSERT_EQ(features.rows, 3600);
  for (int r = 0; r < 5; ++r) {
    for (const int flat : {0, 1, 2, 4, 5, 6}) EXPECT_NEAR(at(features, 1830, r, flat), 0.0F, 1e-5F);
    EXPECT_NEAR(at(features, 1830, r, 3), 1.0F, 1e-5F);
  }
}

TEST(SurfaceFeatures, the_far_side_of_a_wall_is_seen_below_and_opposed) {
  PointCloud wall = plane(0.0F, 1.0F, 60);
  const PointCloud back = plane(-0.02F, -1.0F, 60);
  wall.points.insert(wall.points.end(), back.points.begin(), back.points.end());
  wall.normals.insert(wall.normals.end(), back.normals.begin(), back.normals.end());
  const SurfaceFeatures features = find_surface_features(wall, wall, Threads::none());
  EXPECT_EQ(at(features, 1830, 0, 6), 0.0F);  // 0.015 does not reach through
  for (int r = 2; r < 5; ++r) {
    EXPECT_NEAR(at(features, 1830, r, 6), 0.5F, 0.12F) << r;
    EXPECT_LT(at(features, 1830, r, 0), 0.0F) << r;
  }
}

TEST(SurfaceFeatures, do_not_change_with_rotation_and_have_the_same_bytes_with_any_team) {
  Random random(3);
  PointCloud cloud;
  for (int i = 0; i < 4000; ++i) {
    const Eigen::Vector3d v = random.rotation().col(0);
    cloud.points.push_back((0.2 * v.cwiseProduct(Eigen::Vector3d(1, 1.5, 2))).cast<float>());
    cloud.normals.push_back(v.cwiseQuotient(Eigen::Vector3d(1, 1.5, 2)).normalized().cast<float>());
  }
  const SurfaceFeatures features = find_surface_features(cloud, cloud, Threads::none());
  Threads threads(3);
  EXPECT_EQ(find_surface_features(cloud, cloud, threads).values, features.values);

  const Eigen::Matrix3f turn = random.rotation().cast<float>();
  PointCloud turned;
  for (const auto& p : cloud.points) turned.points.emplace_back(turn * p);
  for (const auto& n : cloud.normals) turned.normals.emplace_back(turn * n);
  const SurfaceFeatures after = find_surface_features(turned, turned, threads);
  // Thinning follows the axes, so large radii agree only in the mean over the cloud.
  double difference = 0.0;
  for (std::size_t i = 0; i < features.values.size(); ++i)
    difference +=
        std::abs(features.values[i] - after.values[i]) / static_cast<double>(features.values.size());
  EXPECT_LT(difference, 0.02);
  // A convex body lies below every tangent plane.
  for (int r = 1; r < 5; ++r) EXPECT_LT(at(features, 0, r, 0), 0.0F);
}

TEST(SurfaceFeatures, a_point_alone_has_finite_features) {
  PointCloud far;
  far.points.emplace_back(9.0F, 9.0F, 9.0F);
  far.normals.emplace_back(0.0F, 0.0F, 1.0F);
  const SurfaceFeatures none = find_surface_features(plane(0.0F, 1.0F, 5), far, Threads::none());
  for (const float value : none.values) EXPECT_EQ(value, 0.0F);
}

}  // namespace
}  // namespace pmtr
