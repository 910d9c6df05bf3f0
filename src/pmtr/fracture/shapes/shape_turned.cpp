// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/shape_turned.h"

#include <algorithm>
#include <cmath>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Index = std::uint32_t;

/// Rings of vertices around the axis; the first and last row are single vertices on it.
class TurnedGrid {
 public:
  TurnedGrid(const Section& section, int around, Random& random)
      : section_(section), around_(static_cast<std::size_t>(around)) {
    const double oval = random.uniform(0, 0.03);
    const double wave = random.uniform(0, 0.01);
    const double phase = random.uniform(0, 2 * M_PI);
    mesh_.vertices.emplace_back(0, 0, section.points.front().y());
    for (std::size_t i = 1; i + 1 < section.points.size(); ++i) {
      const Vector2d& p = section.points[i];
      for (std::size_t k = 0; k < around_; ++k) {
        const double angle = angle_of(k);
        // The same factor inside and outside: walls keep their thickness.
        const double uneven =
            1 + oval * std::cos(2 * angle + phase) + wave * std::sin(3 * angle + 9 * p.y() + phase);
        mesh_.vertices.emplace_back(p.x() * uneven * std::cos(angle), p.x() * uneven * std::sin(angle),
                                    p.y());
      }
    }
    mesh_.vertices.emplace_back(0, 0, section.points.back().y());
  }

  double angle_of(std::size_t k) const {
    return 2 * M_PI * static_cast<double>(k) / static_cast<double>(around_);
  }
  std::size_t rows() const { return section_.points.size(); }
  std::size_t around() const { return around_; }
  TriangleMesh& mesh() { return mesh_; }

  Index at(std::size_t row, std::size_t k) const {
    if (row == 0) return 0;
    if (row + 1 == rows()) return static_cast<Index>(1 + (rows() - 2) * around_);
    return static_cast<Index>(1 + (row - 1) * around_ + k % around_);
  }

  void quad(Index a, Index b, Index c, Index d) {
    triangle(a, b, c);
    triangle(a, c, d);
  }

  /// The face between rows `row` and `row + 1`, columns k and k + 1.
  void add_patch(std::size_t row, std::size_t k) {
    quad(at(row, k), at(row + 1, k), at(row + 1, k + 1), at(row, k + 1));
  }

 private:
  void triangle(Index a, Index b, Index c) {
    // The section runs up outside, so this order would face inward.
    if (a != b && b != c && a != c) mesh_.faces.push_back({a, c, b});
  }

  const Section& section_;
  std::size_t around_;
  TriangleMesh mesh_;
};

double step_of(const TurnedForm& form, int around) {
  double radius = 0;
  for (const Vector2d& p : form.outside) radius = std::max(radius, p.x());
  return 2 * M_PI * radius / around;
}

/// A rectangle of patches that is left out, as the ring of vertices around it.
struct Opening {
  std::size_t row, column, height, width;
  bool covers(std::size_t r, std::size_t k) const {
    return r >= row && r < row + height && k >= column && k < column + width;
  }
};

/// The ring in the order in which both openings correspond; the lower one is mirrored in height, because the
/// handle turns over on its way.
std::vector<Index> ring_of(const TurnedGrid& grid, const Opening& o, bool mirrored) {
  std::vector<Index> ring;
  const auto add = [&](std::size_t up, std::size_t along) {
    ring.push_back(grid.at(o.row + (mirrored ? o.height - up : up), o.column + along));
  };
  for (std::size_t j = 0; j < o.width; ++j) add(0, j);
  for (std::size_t i = 0; i < o.height; ++i) add(i, o.width);
  for (std::size_t j = o.width; j > 0; --j) add(o.height, j);
  for (std::size_t i = o.height; i > 0; --i) add(i, 0);
  return ring;
}

void add_handle(TurnedGrid& grid, const Opening& upper, const Opening& lower, double reach) {
  const std::vector<Index> from = ring_of(grid, upper, false);
  const std::vector<Index> to = ring_of(grid, lower, true);
  auto& vertices = grid.mesh().vertices;
  Vector3d top = Vector3d::Zero();
  Vector3d bottom = Vector3d::Zero();
  for (const Index v : from) top += vertices[v] / static_cast<double>(from.size());
  for (const Index v : to) bottom += vertices[v] / static_cast<double>(to.size());
  const double angle = grid.angle_of(upper.column) + grid.angle_of(upper.width) / 2;
  const Vector3d out(std::cos(angle), std::sin(angle), 0);
  const Vector3d aside(-std::sin(angle), std::cos(angle), 0);
  const Vector3d centre = (top + bottom) / 2;
  const double half = (top - bottom).norm() / 2;
  const std::size_t count = 24;
  std::vector<Index> last = from;
  for (std::size_t s = 1; s <= count; ++s) {
    std::vector<Index> ring = to;
    if (s < count) {
      const double t = static_cast<double>(s) / static_cast<double>(count);
      const double turn = M_PI * t;  // from straight up to straight down
      const Vector3d normal = std::sin(turn) * out + std::cos(turn) * Vector3d::UnitZ();
      const Vector3d middle =
          centre + half * std::cos(turn) * Vector3d::UnitZ() + reach * std::sin(turn) * out;
      const double slim = 1 - 0.25 * std::sin(turn);
      for (std::size_t i = 0; i < ring.size(); ++i) {
        // Offsets of both ends, in the frame that turns along.
        const Vector3d a = vertices[from[i]] - top;
        const Vector3d b = vertices[to[i]] - bottom;
        const double side = (1 - t) * a.dot(aside) + t * b.dot(aside);
        const double up = (1 - t) * a.z() - t * b.z();
        ring[i] = static_cast<Index>(vertices.size());
        vertices.push_back(middle + slim * (side * aside + up * normal));
      }
    }
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const std::size_t j = (i + 1) % ring.size();
      grid.quad(last[i], ring[i], ring[j], last[j]);
    }
    last = ring;
  }
}

/// The openings leave vertices behind.
void drop_unused_vertices(TriangleMesh& mesh) {
  constexpr Index unused = 0xFFFFFFFFU;
  std::vector<Index> number(mesh.vertices.size(), unused);
  for (const auto& face : mesh.faces)
    for (const Index v : face) number[v] = 0;
  std::vector<Vector3d> kept;
  for (std::size_t v = 0; v < number.size(); ++v) {
    if (number[v] == unused) continue;
    number[v] = static_cast<Index>(kept.size());
    kept.push_back(mesh.vertices[v]);
  }
  for (auto& face : mesh.faces)
    for (Index& v : face) v = number[v];
  mesh.vertices = std::move(kept);
}

}  // namespace

TriangleMesh turn(const TurnedForm& form, int around, Random& random) {
  const Section section = section_of(form, step_of(form, around));
  TurnedGrid grid(section, around, random);
  for (std::size_t row = 0; row + 1 < grid.rows(); ++row)
    for (std::size_t k = 0; k < grid.around(); ++k) grid.add_patch(row, k);
  return std::move(grid.mesh());
}

TriangleMesh turn_with_handle(const TurnedForm& form, int around, Random& random) {
  const Section section = section_of(form, step_of(form, around));
  TurnedGrid grid(section, around, random);
  const double height = form.outside.back().y();
  const double top = height * random.uniform(0.72, 0.8);
  const double bottom = height * random.uniform(0.25, 0.33);
  const auto row_at = [&](double z) {
    std::size_t row = 1;
    while (row + 1 < section.rim && section.points[row].y() < z) ++row;
    return row;
  };
  const std::size_t thick = std::max<std::size_t>(2, grid.around() / 32);
  const Opening upper{row_at(top), 0, thick, thick + 1};
  const Opening lower{row_at(bottom), 0, thick, thick + 1};
  PMTR_CHECK(lower.row + thick + 2 < upper.row && upper.row + thick + 1 < section.rim,
             "no place for a handle");
  for (std::size_t row = 0; row + 1 < grid.rows(); ++row) {
    for (std::size_t k = 0; k < grid.around(); ++k)
      if (!upper.covers(row, k) && !lower.covers(row, k)) grid.add_patch(row, k);
  }
  add_handle(grid, upper, lower, random.uniform(0.16, 0.24));
  drop_unused_vertices(grid.mesh());
  return std::move(grid.mesh());
}

}  // namespace pmtr
