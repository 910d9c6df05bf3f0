// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/scan/plane_normals.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Eigenvalues>

#include "pmtr/core/statistics.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

/// Points at a time that one task looks at.
constexpr std::int64_t points_per_task = 2048;

struct Plane {
  Eigen::Vector3f normal = Eigen::Vector3f::UnitZ();
  Eigen::Vector3f middle = Eigen::Vector3f::Zero();
  float radius = 0.0F;     ///< root mean squared distance from the middle
  float thickness = 1.0F;  ///< the same across the plane, over the radius
};

Plane fit_plane(std::span<const Eigen::Vector3f> points, std::span<const std::int32_t> chosen) {
  Plane plane;
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  const Eigen::Vector3f& origin = points[static_cast<std::size_t>(chosen[0])];
  for (const std::int32_t i : chosen) sum += points[static_cast<std::size_t>(i)] - origin;
  const auto count = static_cast<float>(chosen.size());
  const Eigen::Vector3f middle = sum / count;
  Eigen::Matrix3f spread = Eigen::Matrix3f::Zero();
  for (const std::int32_t i : chosen) {
    const Eigen::Vector3f d = points[static_cast<std::size_t>(i)] - origin - middle;
    spread += d * d.transpose();
  }
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3f> solver;
  solver.computeDirect(spread / count);
  plane.normal = solver.eigenvectors().col(0).normalized();
  plane.middle = origin + middle;
  plane.radius = std::sqrt(std::max(0.0F, solver.eigenvalues().sum()));
  if (plane.radius > 0.0F)
    plane.thickness = std::sqrt(std::max(0.0F, solver.eigenvalues()[0])) / plane.radius;
  return plane;
}

template <class Work>
void for_each_point(std::size_t count, Threads& threads, const Work& work) {
  const auto total = static_cast<std::int64_t>(count);
  run_tasks(threads, (total + points_per_task - 1) / points_per_task, [&](std::int64_t task) {
    const std::int64_t end = std::min(total, (task + 1) * points_per_task);
    for (std::int64_t i = task * points_per_task; i < end; ++i) work(static_cast<std::size_t>(i));
  });
}

float median_thickness(std::span<const Plane> planes) {
  std::vector<float> values;
  for (const Plane& plane : planes) values.push_back(plane.thickness);
  return median(std::move(values));
}

}  // namespace

NeighbourTable nearest_points(std::span<const Eigen::Vector3f> queries,
                              std::span<const Eigen::Vector3f> points, int count, Threads& threads) {
  constexpr float anywhere = 1e3F;  // clouds here are within a unit
  return find_neighbours(queries, points, anywhere, count, TieOrder::index, threads);
}

PlaneNormals fit_planes(std::span<const Eigen::Vector3f> points, int neighbours, Threads& threads) {
  constexpr float thin = 0.12F;
  constexpr float on_plane = 1.0F;  // in thicknesses of that plane
  PlaneNormals out;
  out.neighbours = std::min(neighbours, static_cast<int>(points.size()));
  const int most = std::min(4 * neighbours, static_cast<int>(points.size()));
  NeighbourTable table;
  std::vector<Plane> planes(points.size());
  while (true) {
    table = nearest_points(points, points, out.neighbours, threads);
    for_each_point(points.size(), threads, [&](std::size_t i) {
      planes[i] = fit_plane(points, table.row(static_cast<std::int64_t>(i)));
    });
    if (out.neighbours == most || median_thickness(planes) < thin) break;
    out.neighbours = std::min(2 * out.neighbours, most);
  }
  out.normals.resize(points.size());
  out.spacing.resize(points.size());
  for_each_point(points.size(), threads, [&](std::size_t i) {
    const auto near = table.row(static_cast<std::int64_t>(i));
    const Plane* best = &planes[i];
    if (best->thickness > thin) {
      for (const std::int32_t j : near) {
        const Plane& other = planes[static_cast<std::size_t>(j)];
        const float off = std::abs(other.normal.dot(points[i] - other.middle));
        const float room = on_plane * std::max(other.thickness, 0.3F * thin) * other.radius;
        if (other.thickness < best->thickness && off < room) best = &other;
      }
    }
    out.normals[i] = best->normal;
    // On a plane with n points per area, half of them lie within 0.7 of the radius.
    const float area = 3.14159F * 2.0F * planes[i].radius * planes[i].radius;
    out.spacing[i] = std::sqrt(area / static_cast<float>(near.size()));
  });
  return out;
}

}  // namespace pmtr
