// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "pmtr/core/random.h"
#include "pmtr/fracture/cut/planar_triangulation.h"

namespace pmtr {
namespace {

using Points = std::vector<Eigen::Vector2d>;

double area(const Points& points, const std::vector<std::array<std::int32_t, 3>>& triangles) {
  double sum = 0;
  for (const auto& [a, b, c] : triangles) {
    const Eigen::Vector2d p = points[static_cast<std::size_t>(b)] - points[static_cast<std::size_t>(a)];
    const Eigen::Vector2d q = points[static_cast<std::size_t>(c)] - points[static_cast<std::size_t>(a)];
    const double twice = p.x() * q.y() - p.y() * q.x();
    EXPECT_GT(twice, -1e-9);
    sum += twice / 2;
  }
  return sum;
}

/// The directed edges that no other triangle has reversed: must be the borders.
std::map<std::pair<int, int>, int> open_edges(const std::vector<std::array<std::int32_t, 3>>& triangles) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& t : triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = t[i];
      const int b = t[(i + 1) % 3];
      if (auto back = edges.find({b, a}); back != edges.end()) {
        edges.erase(back);
      } else {
        edges[{a, b}] = 1;
      }
    }
  }
  return edges;
}

std::vector<BorderSegment> ring(int first, int count, bool hole = false) {
  std::vector<BorderSegment> segments;
  for (int i = 0; i < count; ++i) {
    const int a = first + i;
    const int b = first + (i + 1) % count;
    segments.push_back(hole ? BorderSegment{b, a} : BorderSegment{a, b});
  }
  return segments;
}

void append_circle(Points& points, int count, double radius, Eigen::Vector2d centre, double wobble = 0) {
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * M_PI * i / count;
    const double r = radius * (1 + wobble * std::sin(5 * angle));
    points.emplace_back(centre + r * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
  }
}

double polygon_area(const Points& points, const std::vector<BorderSegment>& borders) {
  double sum = 0;
  for (const auto& [a, b] : borders) {
    const Eigen::Vector2d& p = points[static_cast<std::size_t>(a)];
    const Eigen::Vector2d& q = points[static_cast<std::size_t>(b)];
    sum += (p.x() * q.y() - p.y() * q.x()) / 2;
  }
  return sum;
}

void expect_fills(const Points& points, const std::vector<BorderSegment>& borders) {
  const auto triangles = triangulate_region(points, borders);
  ASSERT_TRUE(triangles.has_value());
  EXPECT_NEAR(area(points, *triangles), polygon_area(points, borders), 1e-5);
  const auto open = open_edges(*triangles);
  EXPECT_EQ(open.size(), borders.size());
  for (const auto& [a, b] : borders) EXPECT_TRUE(open.contains({a, b}));
}

TEST(PlanarTriangulation, ASquareWithPointsOnItsSidesAndInside) {
  Points points;
  for (int i = 0; i < 10; ++i) points.emplace_back(i / 10.0, 0);
  for (int i = 0; i < 10; ++i) points.emplace_back(1, i / 10.0);
  for (int i = 0; i < 10; ++i) points.emplace_back(1 - i / 10.0, 1);
  for (int i = 0; i < 10; ++i) points.emplace_back(0, 1 - i / 10.0);
  const auto borders = ring(0, 40);
  expect_fills(points, borders);
  for (int i = 1; i < 10; ++i)
    for (int j = 1; j < 10; ++j) points.emplace_back(i / 10.0, j / 10.0);
  expect_fills(points, borders);
}

TEST(PlanarTriangulation, ARingWithHoles) {
  Points points;
  append_circle(points, 60, 1, {0, 0}, 0.3);
  append_circle(points, 20, 0.2, {0.3, 0});
  append_circle(points, 20, 0.15, {-0.3, 0.1});
  auto borders = ring(0, 60);
  for (const auto& hole : {ring(60, 20, true), ring(80, 20, true)})
    borders.insert(borders.end(), hole.begin(), hole.end());
  expect_fills(points, borders);
}

TEST(PlanarTriangulation, SeveralPartsAndThinOnes) {
  Points points;
  append_circle(points, 200, 1, {0, 0});
  append_circle(points, 170, 0.995, {0, 0});
  append_circle(points, 7, 0.2, {3, 1});
  auto borders = ring(0, 200);
  for (const auto& more : {ring(200, 170, true), ring(370, 7)})
    borders.insert(borders.end(), more.begin(), more.end());
  expect_fills(points, borders);
}

TEST(PlanarTriangulation, RandomStars) {
  Random random(5);
  for (int trial = 0; trial < 100; ++trial) {
    Points points;
    const int n = 5 + static_cast<int>(random.below(60));
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * M_PI * (i + 0.8 * random.uniform()) / n;
      points.emplace_back(random.uniform(0.3, 1.0) * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
    }
    for (int i = 0; i < 30; ++i) points.emplace_back(random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1));
    expect_fills(points, ring(0, n));
  }
}

TEST(PlanarTriangulation, NoOutlineIsRefused) {
  const Points square{{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  EXPECT_FALSE(triangulate_region(square, std::vector<BorderSegment>{{0, 1}, {1, 2}, {2, 3}}).has_value());
  EXPECT_FALSE(triangulate_region(square, std::vector<BorderSegment>{{0, 2}, {2, 1}, {1, 3}, {3, 0}}))
      << "a bow tie";
  EXPECT_FALSE(triangulate_region(square, ring(0, 4, true))) << "inside out";
  Points touching = square;
  touching.emplace_back(0.5, 0);
  EXPECT_FALSE(triangulate_region(touching, ring(0, 4))) << "a point on the border";
  Points twice = square;
  twice.emplace_back(1, 1);
  EXPECT_FALSE(triangulate_region(twice, ring(0, 4))) << "two points at one place";
  EXPECT_FALSE(triangulate_region(Points{{0, 0}, {0, 0}, {0, 0}}, ring(0, 3)));
}

}  // namespace
}  // namespace pmtr
