// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/nearest_field.h"

#include <limits>

#include <gtest/gtest.h>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

std::vector<Eigen::Vector3f> sphere(float radius, int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Eigen::Vector3f> points;
  for (int i = 0; i < count; ++i) points.push_back(radius * random.rotation().col(0).cast<float>());
  return points;
}

TEST(NearestField, is_never_worse_than_the_cell_allows) {
  const auto points = sphere(0.5F, 4000, 1);
  const float cell = 0.03F;
  const NearestField field(points, cell, 3, false);
  Random random(2);
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const Eigen::Vector3f at =
        (0.5 + random.uniform(-0.06, 0.06)) * random.rotation().col(0).cast<float>().eval();
    float nearest = std::numeric_limits<float>::infinity();
    for (const auto& p : points) nearest = std::min(nearest, (p - at).norm());
    const std::int32_t j = field.lookup(at);
    if (j < 0) {
      EXPECT_GT(nearest, 2.0F * cell) << "a point is near, and the field does not know it";
      continue;
    }
    ++found;
    // Twice the distance from the query to the centre of its cell.
    EXPECT_LE((points[static_cast<std::size_t>(j)] - at).norm(), nearest + 1.7321F * cell + 1e-5F);
  }
  EXPECT_GT(found, 1500);
}

TEST(NearestField, knows_the_nearest_and_of_equally_near_points_the_first) {
  // Points on a lattice: many are equally near to the middle of a cell.
  std::vector<Eigen::Vector3f> points;
  for (int i = 0; i < 600; ++i)
    points.emplace_back(static_cast<float>(i * 7 % 10), static_cast<float>(i * 3 % 12),
                        static_cast<float>(i % 5));
  const NearestField field(points, 0.5F, 2, false);
  const Eigen::Vector3f origin(-1.5F, -1.5F, -1.5F);
  for (int x = 0; x < 24; ++x) {
    for (int y = 0; y < 28; ++y) {
      const Eigen::Vector3f middle =
          origin + 0.5F * Eigen::Vector3f(static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F, 5.5F);
      std::int32_t first = NearestField::outside;
      float nearest = 2.5F * 2.5F * 0.25F;
      for (std::size_t i = 0; i < points.size(); ++i) {
        const float squared = (points[i] - middle).squaredNorm();
        if (first < 0 ? squared <= nearest : squared < nearest) {
          nearest = squared;
          first = static_cast<std::int32_t>(i);
        }
      }
      ASSERT_EQ(field.lookup(middle), first) << x << ' ' << y;
    }
  }
}

TEST(NearestField, tells_inside_from_outside) {
  const NearestField field(sphere(0.5F, 20000, 3), 0.02F, 2, true);
  EXPECT_EQ(field.lookup({0.0F, 0.0F, 0.0F}), NearestField::inside);
  EXPECT_EQ(field.lookup({0.3F, 0.0F, 0.2F}), NearestField::inside);
  EXPECT_EQ(field.lookup({0.52F, 0.52F, 0.0F}), NearestField::outside);
  EXPECT_EQ(field.lookup({9.0F, 0.0F, 0.0F}), NearestField::outside);
  EXPECT_GE(field.lookup({0.0F, 0.5F, 0.0F}), 0);
}

TEST(NearestField, a_surface_with_a_hole_has_no_inside) {
  auto points = sphere(0.5F, 20000, 3);
  std::erase_if(points, [](const Eigen::Vector3f& p) { return p.x() > 0.4F; });
  EXPECT_EQ(NearestField(points, 0.02F, 2, true).lookup({0.0F, 0.0F, 0.0F}), NearestField::outside);
}

TEST(NearestField, of_nothing_and_of_nonsense_is_outside) {
  EXPECT_EQ(NearestField().lookup({0.0F, 0.0F, 0.0F}), NearestField::outside);
  EXPECT_EQ(NearestField({}, 0.1F, 2, true).lookup({0.0F, 0.0F, 0.0F}), NearestField::outside);
  const std::vector<Eigen::Vector3f> one = {{0.0F, 0.0F, 0.0F}};
  const NearestField field(one, 0.1F, 2, true);
  EXPECT_EQ(field.lookup({0.0F, 0.0F, 0.0F}), 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(field.lookup({nan, 0.0F, 0.0F}), NearestField::outside);
}

TEST(NearestField, grows_its_cells_instead_of_its_memory) {
  const std::vector<Eigen::Vector3f> far = {{0.0F, 0.0F, 0.0F}, {1000.0F, 1000.0F, 1000.0F}};
  const NearestField field(far, 1e-3F, 2, true);
  EXPECT_GT(field.cell(), 1.0F);
  EXPECT_EQ(field.lookup(far[1]), 1);
}

}  // namespace
}  // namespace pmtr
