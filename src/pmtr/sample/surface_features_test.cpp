// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/surface_features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pmtr/core/random.h"
#include "pmtr/kernels/cpu.h"
#include "pmtr/kernels/isa.h"
#include "pmtr/sample/surface_features_loops.h"

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

TEST(SurfaceFeatures, do_not_change_with_rotation_and_have_the_same_bytes_with_any_team_and_cpu) {
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
  kernels::force_portable(true);
  EXPECT_EQ(find_surface_features(cloud, cloud, threads).values, features.values);
  kernels::force_portable(false);

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

/// What describe_surface promises, in double.
std::array<double, 7> plain_features(const SurfaceNeighbours& near, double radius, const Eigen::Vector3d& p,
                                     const Eigen::Vector3d& n) {
  const auto row = [](const float* const(&table)[3], long i) {
    return Eigen::Vector3d(table[0][i], table[1][i], table[2][i]);
  };
  double count = 0, h1 = 0, h_magnitude = 0, h2 = 0, c1 = 0, c2 = 0, slope = 0, opposed = 0;
  for (long i = 0; i < near.count; ++i) {
    const Eigen::Vector3d away = row(near.position, i) - p;
    if (away.norm() >= radius) continue;
    const double h = away.dot(n);
    const double c = row(near.normal, i).dot(n);
    count += 1, h1 += h, h_magnitude += std::abs(h), h2 += h * h, c1 += c, c2 += c * c;
    if (i % 8 == 0 && away.norm() > 0) slope += h / away.norm();
    opposed += c < -0.5 ? 1 : 0;
  }
  if (count == 0) return {};
  const auto spread = [&](double squares, double sum) {
    return std::sqrt(std::max(0.0, squares / count - sum / count * sum / count));
  };
  return {h1 / count / radius,     h_magnitude / count / radius,
          spread(h2, h1) / radius, c1 / count,
          spread(c2, c1),          slope / count,
          opposed / count};
}

TEST(SurfaceFeatures, the_loops_give_what_a_plain_sum_gives_and_the_same_bits_on_any_cpu) {
  Random random(8);
  for (int round = 0; round < 50; ++round) {
    const long count = 8 * (round % 12);
    std::array<std::vector<float>, 6> numbers;
    for (long i = 0; i < count; ++i) {
      const Eigen::Vector3d p = random.rotation().col(0) * random.uniform();
      const Eigen::Vector3d n = random.rotation().col(0);
      for (int axis = 0; axis < 3; ++axis) {
        numbers[axis].push_back(static_cast<float>(p[axis]));
        numbers[3 + axis].push_back(static_cast<float>(n[axis]));
      }
    }
    const SurfaceNeighbours near = {count,
                                    {numbers[0].data(), numbers[1].data(), numbers[2].data()},
                                    {numbers[3].data(), numbers[4].data(), numbers[5].data()}};
    // Every second time the point is one of them, which has no direction.
    Eigen::Vector3f p = Eigen::Vector3f::Zero();
    if (round % 2 == 0 && count > 0) p = {numbers[0][0], numbers[1][0], numbers[2][0]};
    const Eigen::Vector3f n = random.rotation().col(0).cast<float>();
    std::array<std::array<float, 7>, 2> found = {};
    for (const bool portable : {false, true}) {
      kernels::force_portable(portable);
      PMTR_PICK(describe_surface)(near, 0.7F, p.data(), n.data(), found[portable ? 1 : 0].data());
    }
    kernels::force_portable(false);
    EXPECT_EQ(found[0], found[1]);
    const auto expected = plain_features(near, 0.7F, p.cast<double>(), n.cast<double>());
    for (int k = 0; k < 7; ++k) {
      const bool root = k == 2 || k == 4;  // of a difference, which may be near 0
      const double a = found[0][k];
      EXPECT_NEAR(root ? a * a : a, root ? expected[k] * expected[k] : expected[k], 2e-6)
          << round << ' ' << k;
    }
  }
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
