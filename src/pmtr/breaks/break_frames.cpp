// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/breaks/break_frames.h"

#include <algorithm>

#include "pmtr/breaks/point_cells.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

/// The mean of the normals around `at` that face the way of `normal`; near ones count more. `normal` where
/// there are none.
Eigen::Vector3f mean_normal(const PointCloud& cloud, const PointCells& cells, const Eigen::Vector3f& at,
                            const Eigen::Vector3f& normal, float radius) {
  const float limit = radius * radius;
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  cells.visit_around(cells.place_of(at), [&](std::uint32_t j) {
    const float squared = (cloud.points[j] - at).squaredNorm();
    const float facing = cloud.normals[j].dot(normal);
    if (squared < limit && facing > 0.0F) sum += (limit - squared) * facing * cloud.normals[j];
  });
  const float length = sum.norm();
  return length > 0.1F * limit ? (sum / length).eval() : normal;
}

/// Without the points that touch the break: their normals may be those of the edge.
PointCloud inner_outer(const BreakCloud& cloud, const PointCloud& outer, Threads& threads) {
  const NeighbourTable table =
      find_neighbours(outer.points, cloud.support.points, 1.5F * cloud.spacing, 1, TieOrder::index, threads);
  PointCloud result;
  for (std::size_t i = 0; i < outer.points.size(); ++i) {
    if (table.width > 0 && static_cast<std::size_t>(table.index[i]) < cloud.support.points.size()) continue;
    result.points.push_back(outer.points[i]);
    result.normals.push_back(outer.normals[i]);
  }
  return result;
}

}  // namespace

NearestRim find_nearest_rim(std::span<const Eigen::Vector3f> points, std::span<const Eigen::Vector3f> outer,
                            float reach, Threads& threads) {
  NearestRim result;
  result.outer.assign(points.size(), -1);
  result.distance.assign(points.size(), reach);
  if (points.empty() || outer.empty()) return result;
  const NeighbourTable table = find_neighbours(points, outer, reach, 1, TieOrder::index, threads);
  if (table.width == 0) return result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::int32_t j = table.index[i];
    if (static_cast<std::size_t>(j) >= outer.size()) continue;
    result.outer[i] = j;
    result.distance[i] = (outer[static_cast<std::size_t>(j)] - points[i]).norm();
  }
  return result;
}

void find_frames(BreakCloud& cloud, const PointCloud& outer, std::span<const std::int32_t> rim,
                 const BreakCloudOptions& options, Threads& threads) {
  const float z_radius =
      std::max(std::min(static_cast<float>(options.z_radius), 0.25F * cloud.diameter), 1e-6F);
  const float x_radius =
      std::max(std::min(static_cast<float>(options.x_radius), 0.25F * cloud.diameter), 1e-6F);
  const PointCells break_cells(cloud.support.points, z_radius);
  const PointCloud smooth = inner_outer(cloud, outer, threads);
  const PointCells outer_cells(smooth.points, x_radius);
  threads.parallel_for(
      static_cast<std::int64_t>(cloud.points.size()), 32, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          BreakPoint& point = cloud.points[i];
          point.z = mean_normal(cloud.support, break_cells, point.position, point.normal, z_radius);
          point.x = Eigen::Vector3f::Zero();
          if (rim[i] < 0) continue;
          const auto at = static_cast<std::size_t>(rim[i]);
          const Eigen::Vector3f normal =
              mean_normal(smooth, outer_cells, outer.points[at], outer.normals[at], x_radius);
          const Eigen::Vector3f x = normal - normal.dot(point.z) * point.z;
          const float length = x.norm();
          point.has_x = length > 0.2F;
          if (point.has_x) point.x = x / length;
        }
      });
}

}  // namespace pmtr
