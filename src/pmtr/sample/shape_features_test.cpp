// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/shape_features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pmtr/core/random.h"
#include "pmtr/kernels/cpu.h"

namespace pmtr {
namespace {

/// Points of a bumpy ball.
PointCloud ball(float radius, int count) {
  Random random(3);
  PointCloud cloud;
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3f n = random.rotation().col(0).cast<float>();
    cloud.points.push_back(radius * (1.0F + 0.1F * std::sin(9.0F * n.x())) * n);
    cloud.normals.push_back(n);
  }
  return cloud;
}

double ball_area(double radius) { return 4.0 * M_PI * radius * radius; }

float at(const ShapeFeatures& features, std::size_t row, int radius, int which) {
  return features.values[row * ShapeFeatures::width +
                         static_cast<std::size_t>(radius * ShapeFeatures::per_radius + which)];
}

TEST(ShapeFeatures, at_its_own_scale_a_small_fragment_looks_like_a_large_one) {
  const PointCloud large = ball(0.4F, 3000);
  PointCloud small = large;
  for (Eigen::Vector3f& p : small.points) p *= 0.125F;  // a power of two: the same bits, but for the exponent
  const ShapeFeatures a = find_shape_features(large, ball_area(0.4), Threads::none());
  const ShapeFeatures b = find_shape_features(small, ball_area(0.05), Threads::none());
  const int objects = static_cast<int>(ShapeFeatures::object_radii.size());
  double same = 0.0, other = 0.0;
  for (std::size_t i = 0; i < 3000; ++i) {
    for (int k = 0; k < static_cast<int>(ShapeFeatures::own_radii.size()); ++k)
      for (int w = 0; w < ShapeFeatures::per_radius; ++w)
        same = std::max(same, double(std::abs(at(a, i, objects + k, w) - at(b, i, objects + k, w))));
    other = std::max(other, double(std::abs(at(a, i, 2, 1) - at(b, i, 2, 1))));
  }
  EXPECT_LT(same, 1e-4);
  EXPECT_GT(other, 1.0) << "at the object's scale they differ";
  EXPECT_NEAR(a.values.back() - b.values.back(), 3.0F, 1e-4F) << "and it says how much smaller";
}

TEST(ShapeFeatures, do_not_change_when_the_fragment_is_turned) {
  const PointCloud cloud = ball(0.4F, 6000);
  Random random(5);
  const Eigen::Matrix3f turn = random.rotation().cast<float>();
  PointCloud turned = cloud;
  for (Eigen::Vector3f& p : turned.points) p = turn * p;
  for (Eigen::Vector3f& n : turned.normals) n = turn * n;
  const ShapeFeatures a = find_shape_features(cloud, ball_area(0.4), Threads::none());
  const ShapeFeatures b = find_shape_features(turned, ball_area(0.4), Threads::none());
  // Not to the bit: the cubes that thin the surface lie elsewhere.
  double sum = 0.0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += std::abs(a.values[i] - b.values[i]);
  EXPECT_LT(sum / static_cast<double>(a.values.size()), 0.15);
}

TEST(ShapeFeatures, have_the_same_bytes_with_any_team) {
  const PointCloud cloud = ball(0.4F, 2000);
  Threads three(3);
  EXPECT_EQ(find_shape_features(cloud, ball_area(0.4), Threads::none()).values,
            find_shape_features(cloud, ball_area(0.4), three).values);
}

TEST(ShapeFeatures, are_numbers_for_one_point_and_for_equal_points) {
  for (const int count : {1, 40}) {
    PointCloud cloud;
    cloud.points.assign(static_cast<std::size_t>(count), Eigen::Vector3f(0.1F, 0.2F, 0.3F));
    cloud.normals.assign(static_cast<std::size_t>(count), Eigen::Vector3f(0.0F, 0.0F, 1.0F));
    for (const float value : find_shape_features(cloud, 0.0, Threads::none()).values)
      ASSERT_TRUE(std::isfinite(value));
  }
}

}  // namespace
}  // namespace pmtr
