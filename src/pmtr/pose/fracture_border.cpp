// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/fracture_border.h"

#include <cmath>
#include <optional>

#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

std::vector<Eigen::Vector3f> positions(const std::vector<OrientedPoint>& points) {
  std::vector<Eigen::Vector3f> result;
  result.reserve(points.size());
  for (const auto& p : points) result.push_back(p.position);
  return result;
}

/// The mean of the normals around that belong to the same face.
Eigen::Vector3f face_normal(const Eigen::Vector3f& own, const NeighbourTable& table, std::size_t row,
                            const std::vector<OrientedPoint>& points) {
  Eigen::Vector3f sum = own;
  for (std::int64_t k = 0; k < table.width; ++k) {
    const auto j = static_cast<std::size_t>(
        table.index[row * static_cast<std::size_t>(table.width) + static_cast<std::size_t>(k)]);
    if (j >= points.size()) break;
    if (points[j].normal.dot(own) > 0.8F) sum += points[j].normal;
  }
  return sum.normalized();
}

/// The point near `start` on both planes; nothing where they are nearly parallel.
std::optional<Eigen::Vector3f> on_both_planes(const Eigen::Vector3f& start, const Eigen::Vector3f& point_a,
                                              const Eigen::Vector3f& normal_a, const Eigen::Vector3f& point_b,
                                              const Eigen::Vector3f& normal_b) {
  const float c = normal_a.dot(normal_b);
  const float determinant = 1.0F - c * c;
  if (determinant < 0.1F) return std::nullopt;
  const float a = normal_a.dot(point_a - start);
  const float b = normal_b.dot(point_b - start);
  return start + (a - c * b) / determinant * normal_a + (b - c * a) / determinant * normal_b;
}

}  // namespace

std::vector<BorderPoint> find_border(const std::vector<OrientedPoint>& fracture,
                                     const std::vector<OrientedPoint>& outer, const NearestField& near,
                                     float spacing, Threads& threads) {
  std::vector<BorderPoint> border;
  if (fracture.empty() || outer.empty()) return border;
  // Most of the outer surface is far from any break.
  std::vector<std::size_t> close;
  std::vector<Eigen::Vector3f> close_positions;
  for (std::size_t i = 0; i < outer.size(); ++i) {
    if (near.lookup(outer[i].position) < 0) continue;
    close.push_back(i);
    close_positions.push_back(outer[i].position);
  }
  if (close.empty()) return border;
  const auto outer_positions = positions(outer);
  const NeighbourTable across =
      find_neighbours(close_positions, positions(fracture), 1.6F * spacing, 8, TieOrder::index, threads);
  if (across.width == 0) return border;
  std::vector<std::size_t> from;
  std::vector<std::size_t> to;
  std::vector<Eigen::Vector3f> at;
  for (std::size_t i = 0; i < close.size(); ++i) {
    const auto j = static_cast<std::size_t>(across.index[i * static_cast<std::size_t>(across.width)]);
    if (j >= fracture.size()) continue;
    from.push_back(i);
    to.push_back(j);
    at.push_back(close_positions[i]);
  }
  const NeighbourTable along =
      find_neighbours(at, outer_positions, 2.0F * spacing, 12, TieOrder::index, threads);
  for (std::size_t k = 0; k < at.size(); ++k) {
    const OrientedPoint& o = outer[close[from[k]]];
    const OrientedPoint& f = fracture[to[k]];
    BorderPoint place;
    place.outer_normal = face_normal(o.normal, along, k, outer);
    place.fracture_normal = face_normal(f.normal, across, from[k], fracture);
    place.fracture_point = static_cast<std::int32_t>(to[k]);
    const Eigen::Vector3f middle = 0.5F * (o.position + f.position);
    const auto line =
        on_both_planes(middle, o.position, place.outer_normal, f.position, place.fracture_normal);
    if (!line || (*line - middle).norm() > 1.5F * spacing) continue;
    place.position = *line;
    border.push_back(place);
  }
  return border;
}

}  // namespace pmtr
