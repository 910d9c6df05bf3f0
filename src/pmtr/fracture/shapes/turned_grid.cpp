// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/turned_grid.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace pmtr {

using Eigen::Vector2d;
using Eigen::Vector3d;

TurnedGrid::TurnedGrid(const std::vector<Vector2d>& section, std::size_t around, bool closed,
                       const Place& place)
    : rows_(section.size()), around_(around), closed_(closed) {
  if (!closed) mesh_.vertices.emplace_back(0, 0, section.front().y());
  for (std::size_t i = closed ? 0 : 1; i + (closed ? 0 : 1) < section.size(); ++i)
    for (std::size_t k = 0; k < around_; ++k) mesh_.vertices.push_back(place(section[i], k));
  if (!closed) mesh_.vertices.emplace_back(0, 0, section.back().y());
}

TurnedGrid::Index TurnedGrid::at(std::size_t row, std::size_t k) const {
  if (closed_) return static_cast<Index>(row % rows_ * around_ + k % around_);
  if (row == 0) return 0;
  if (row + 1 == rows_) return static_cast<Index>(1 + (rows_ - 2) * around_);
  return static_cast<Index>(1 + (row - 1) * around_ + k % around_);
}

void TurnedGrid::triangle(Index a, Index b, Index c) {
  // The section runs up outside, so this order would face inward.
  if (a != b && b != c && a != c) mesh_.faces.push_back({a, c, b});
}

void TurnedGrid::quad(Index a, Index b, Index c, Index d) {
  triangle(a, b, c);
  triangle(a, c, d);
}

void TurnedGrid::add_patches(const std::vector<Opening>& openings) {
  for (std::size_t row = 0; row + (closed_ ? 0 : 1) < rows_; ++row) {
    for (std::size_t k = 0; k < around_; ++k) {
      bool covered = false;
      for (const Opening& opening : openings) covered = covered || opening.covers(row, k);
      if (!covered) quad(at(row, k), at(row + 1, k), at(row + 1, k + 1), at(row, k + 1));
    }
  }
}

/// The vertices around an opening, in the order in which those of a handle correspond; the lower one is
/// mirrored in height, because the handle turns over on its way.
std::vector<TurnedGrid::Index> TurnedGrid::ring_of(const Opening& o, bool mirrored) const {
  std::vector<Index> ring;
  const auto add = [&](std::size_t up, std::size_t along) {
    ring.push_back(at(o.row + (mirrored ? o.height - up : up), o.column + along));
  };
  for (std::size_t j = 0; j < o.width; ++j) add(0, j);
  for (std::size_t i = 0; i < o.height; ++i) add(i, o.width);
  for (std::size_t j = o.width; j > 0; --j) add(o.height, j);
  for (std::size_t i = o.height; i > 0; --i) add(i, 0);
  return ring;
}

Vector3d TurnedGrid::middle_of(const std::vector<Index>& ring) const {
  Vector3d middle = Vector3d::Zero();
  for (const Index v : ring) middle += mesh_.vertices[v] / static_cast<double>(ring.size());
  return middle;
}

void TurnedGrid::tube(const std::vector<Index>& last, const std::vector<Index>& ring) {
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const std::size_t j = (i + 1) % ring.size();
    quad(last[i], ring[i], ring[j], last[j]);
  }
}

void TurnedGrid::add_handle(const Opening& upper, const Opening& lower, double begin, double width,
                            double reach, std::size_t rings, double follow) {
  const std::vector<Index> from = ring_of(upper, false);
  const std::vector<Index> to = ring_of(lower, true);
  auto& vertices = mesh_.vertices;
  const Vector3d top = middle_of(from);
  const Vector3d bottom = middle_of(to);
  const double angle = begin + width / 2;
  const Vector3d out(std::cos(angle), std::sin(angle), 0);
  const Vector3d aside(-std::sin(angle), std::cos(angle), 0);
  const Vector3d centre = (top + bottom) / 2;
  const double half = (top - bottom).norm() / 2;
  const Vector3d slant = follow * ((top - bottom) / 2 - half * Vector3d::UnitZ());
  std::vector<Index> last = from;
  for (std::size_t s = 1; s <= rings; ++s) {
    std::vector<Index> ring = to;
    if (s < rings) {
      const double t = static_cast<double>(s) / static_cast<double>(rings);
      const double turn = M_PI * t;  // from straight up to straight down
      const Vector3d normal = std::sin(turn) * out + std::cos(turn) * Vector3d::UnitZ();
      const Vector3d middle = centre + half * std::cos(turn) * Vector3d::UnitZ() +
                              reach * std::sin(turn) * out + std::cos(turn) * slant;
      const double slim = 1 - 0.25 * std::sin(turn);
      for (std::size_t i = 0; i < ring.size(); ++i) {
        // Offsets of both ends, in the frame that turns along.
        const Vector3d a = vertices[from[i]] - top;
        const Vector3d b = vertices[to[i]] - bottom;
        const double side = (1 - t) * a.dot(aside) + t * b.dot(aside);
        const double up = (1 - t) * a.z() - t * b.z();
        ring[i] = static_cast<Index>(vertices.size());
        const double wall = std::max(0.0, 1 - 4 * t) * a.dot(out) + std::max(0.0, 4 * t - 3) * b.dot(out);
        vertices.push_back(middle + slim * (side * aside + up * normal) + follow * wall * out);
      }
    }
    tube(last, ring);
    last = ring;
  }
}

void TurnedGrid::add_spout(const Opening& opening, double angle, double reach, double rise, double slim,
                           std::size_t rings) {
  const std::vector<Index> from = ring_of(opening, false);
  auto& vertices = mesh_.vertices;
  const Vector3d start = middle_of(from);
  const Vector3d out(std::cos(angle), std::sin(angle), 0);
  const Vector3d aside(-std::sin(angle), std::cos(angle), 0);
  std::vector<Index> last = from;
  for (std::size_t s = 1; s <= rings; ++s) {
    const double t = static_cast<double>(s) / static_cast<double>(rings);
    const Vector3d middle = start + t * reach * out + t * t * rise * Vector3d::UnitZ();
    const Vector3d up = (reach * Vector3d::UnitZ() - 2 * t * rise * out).normalized();
    std::vector<Index> ring(from.size());
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Vector3d a = vertices[from[i]] - start;
      ring[i] = static_cast<Index>(vertices.size());
      vertices.push_back(middle + (1 + t * (slim - 1)) * (a.dot(aside) * aside + a.z() * up) +
                         std::max(0.0, 1 - 3 * t) * a.dot(out) * out);
    }
    tube(last, ring);
    last = ring;
  }
  const auto tip = static_cast<Index>(vertices.size());
  vertices.push_back(middle_of(last));
  for (std::size_t i = 0; i < last.size(); ++i) triangle(last[i], tip, last[(i + 1) % last.size()]);
}

TriangleMesh TurnedGrid::take() {
  constexpr Index unused = 0xFFFFFFFFU;
  std::vector<Index> number(mesh_.vertices.size(), unused);
  for (const auto& face : mesh_.faces)
    for (const Index v : face) number[v] = 0;
  std::vector<Vector3d> kept;
  for (std::size_t v = 0; v < number.size(); ++v) {
    if (number[v] == unused) continue;
    number[v] = static_cast<Index>(kept.size());
    kept.push_back(mesh_.vertices[v]);
  }
  for (auto& face : mesh_.faces)
    for (Index& v : face) v = number[v];
  mesh_.vertices = std::move(kept);
  return std::move(mesh_);
}

}  // namespace pmtr
