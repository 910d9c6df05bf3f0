// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/planar_triangulation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pmtr/fracture/cut/delaunay.h"

namespace pmtr {
namespace {

constexpr double grid_steps = 1 << 24;

/// Points on the grid, or none if two fall together.
std::optional<std::vector<GridPoint>> on_grid(std::span<const Eigen::Vector2d> points) {
  Eigen::Vector2d low = points.front();
  Eigen::Vector2d high = points.front();
  for (const Eigen::Vector2d& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const double extent = (high - low).maxCoeff();
  if (!(extent > 0) || !std::isfinite(extent)) return std::nullopt;
  std::vector<GridPoint> grid;
  grid.reserve(points.size());
  for (const Eigen::Vector2d& p : points) {
    const Eigen::Vector2d scaled = (p - low) / extent * (grid_steps - 1);
    grid.push_back({std::llround(scaled.x()), std::llround(scaled.y())});
  }
  std::vector<GridPoint> sorted = grid;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return std::nullopt;
  return grid;
}

/// Rows of a coarse grid, back and forth: consecutive points are near each other, and found by a short walk.
std::vector<std::int32_t> insertion_order(const std::vector<GridPoint>& points) {
  const auto rows = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(points.size()) / 2)));
  const std::int64_t step = (1 << 24) / std::max<std::int64_t>(rows, 1) + 1;
  std::vector<std::int32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const GridPoint& p = points[static_cast<std::size_t>(a)];
    const GridPoint& q = points[static_cast<std::size_t>(b)];
    if (p.y / step != q.y / step) return p.y / step < q.y / step;
    return (p.y / step) % 2 == 0 ? p < q : q < p;
  });
  return order;
}

}  // namespace

std::optional<std::vector<std::array<std::int32_t, 3>>> triangulate_region(
    std::span<const Eigen::Vector2d> points, std::span<const BorderSegment> borders) {
  if (points.size() < 3 || borders.size() < 3) return std::nullopt;
  const auto grid = on_grid(points);
  if (!grid) return std::nullopt;
  Delaunay delaunay(*grid);
  for (const std::int32_t p : insertion_order(*grid)) delaunay.insert(p);
  for (const BorderSegment& border : borders) {
    if (!delaunay.force_edge(border[0], border[1])) return std::nullopt;
  }
  return delaunay.region(borders);
}

}  // namespace pmtr
