// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/field_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include <Eigen/Dense>

#include "pmtr/fracture/cut/triangle_crossing.h"
#include "pmtr/fracture/shapes/cell_sheets.h"

namespace pmtr {
namespace {

using Eigen::Vector3d;
using field::Field;

constexpr double reach = 1.5;  // solids lie within this of the origin

struct Grid {
  Vector3d low;
  double step = 0;
  std::array<int, 3> cells{};

  std::size_t stride(std::size_t axis) const {
    const std::size_t row = static_cast<std::size_t>(cells[0]) + 1;
    return axis == 0 ? 1 : axis == 1 ? row : row * (static_cast<std::size_t>(cells[1]) + 1);
  }
  std::size_t corners() const { return stride(2) * (static_cast<std::size_t>(cells[2]) + 1); }
  std::size_t index(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(cells[1] + 1) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(cells[0] + 1) +
           static_cast<std::size_t>(x);
  }
  Vector3d point(std::size_t index) const {
    const std::size_t row = static_cast<std::size_t>(cells[0]) + 1;
    const std::size_t column = static_cast<std::size_t>(cells[1]) + 1;
    return low + step * Vector3d(static_cast<double>(index % row), static_cast<double>(index / row % column),
                                 static_cast<double>(index / (row * column)));
  }
};

/// Calls body with every cell that the surface may pass. A block of cells is left out where its middle is
/// farther from the surface than its corners are from its middle; `slack` allows for fields that are steeper.
template <typename Body>
void cells_near_surface(const Field& field, const Grid& grid, std::array<int, 3> from, int size, double slack,
                        const Body& body) {
  for (std::size_t k = 0; k < 3; ++k)
    if (from[k] >= grid.cells[k]) return;
  if (size == 1) {
    body(from[0], from[1], from[2]);
    return;
  }
  const Vector3d middle =
      grid.low + grid.step * (Vector3d(from[0], from[1], from[2]) + Vector3d::Constant(0.5 * size));
  if (std::abs(field(middle)) > slack * 0.5 * std::sqrt(3.0) * size * grid.step) return;
  const int half = size / 2;
  for (int i = 0; i < 8; ++i)
    cells_near_surface(field, grid,
                       {from[0] + (i & 1) * half, from[1] + (i >> 1 & 1) * half, from[2] + (i >> 2) * half},
                       half, slack, body);
}

int covering_block(const Grid& grid) {
  int size = 1;
  while (size < *std::max_element(grid.cells.begin(), grid.cells.end())) size *= 2;
  return size;
}

/// One vertex per sheet of surface in a cell, one quadrangle per crossed edge of the grid.
class DualSurface {
 public:
  DualSurface(const Field& field, const Grid& grid, double slack)
      : field_(field),
        grid_(grid),
        values_(grid.corners(), std::numeric_limits<float>::quiet_NaN()),
        first_vertex_(grid.corners(), -1),
        inner_(grid.corners(), 0),
        crossing_of_(3 * grid.corners(), -1) {
    cells_near_surface(field, grid, {0, 0, 0}, covering_block(grid), slack,
                       [this](int x, int y, int z) { add_cell(grid_.index(x, y, z)); });
    for (const Crossing& crossing : crossings_) add_quad(crossing);
  }

  bool whole() const { return whole_; }
  TriangleMesh& mesh() { return mesh_; }
  /// To the middle of its crossings, where surfaces never fold.
  void relax(std::uint32_t vertex) { mesh_.vertices[vertex] = middles_[vertex]; }

 private:
  struct Crossing {
    std::size_t corner;  ///< the lower end
    std::size_t axis;
    bool outward;  ///< the lower end is inside
    Vector3d point, normal;
  };

  double value(std::size_t corner) {
    if (std::isnan(values_[corner])) values_[corner] = static_cast<float>(field_(grid_.point(corner)));
    return values_[corner];
  }

  std::size_t corner_of(std::size_t cell, unsigned corner) const {
    return cell + (corner & 1U) * grid_.stride(0) + (corner >> 1U & 1U) * grid_.stride(1) +
           (corner >> 2U) * grid_.stride(2);
  }

  void add_cell(std::size_t cell) {
    unsigned inner = 0;
    for (unsigned c = 0; c < 8; ++c) inner |= (value(corner_of(cell, c)) < 0 ? 1U : 0U) << c;
    if (inner == 0 || inner == 255) return;
    inner_[cell] = static_cast<std::uint8_t>(inner);
    first_vertex_[cell] = static_cast<std::int32_t>(mesh_.vertices.size());
    const Sheets& sheets = sheet_table()[inner];
    for (std::int8_t sheet = 0; sheet < sheets.count; ++sheet) {
      std::vector<std::size_t> crossed;
      for (std::size_t e = 0; e < 12; ++e)
        if (sheets.of_edge[e] == sheet)
          crossed.push_back(crossing_at(corner_of(cell, edge_start[e]), edge_axis(e)));
      add_vertex(cell, crossed);
    }
  }

  std::size_t crossing_at(std::size_t corner, std::size_t axis) {
    std::int32_t& known = crossing_of_[3 * corner + axis];
    if (known >= 0) return static_cast<std::size_t>(known);
    known = static_cast<std::int32_t>(crossings_.size());
    const double a = value(corner);
    const double b = value(corner + grid_.stride(axis));
    const Vector3d start = grid_.point(corner);
    const Vector3d along = grid_.step * Vector3d::Unit(static_cast<int>(axis));
    // The line between the ends is no line where forms meet: two steps of regula falsi.
    double low = 0;
    double high = 1;
    double low_value = a;
    double high_value = b;
    double t = a / (a - b);
    for (int i = 0; i < 2; ++i) {
      const double here = field_(start + t * along);
      ((here < 0) == (low_value < 0) ? low : high) = t;
      ((here < 0) == (low_value < 0) ? low_value : high_value) = here;
      if (low_value == high_value) break;
      t = low + (high - low) * std::clamp(low_value / (low_value - high_value), 0.05, 0.95);
    }
    const Vector3d p = start + t * along;
    const double h = 0.02 * grid_.step;
    Vector3d normal = Vector3d::Zero();  // four points of a tetrahedron give the slope
    for (const Vector3d& k :
         {Vector3d(1, -1, -1), Vector3d(-1, -1, 1), Vector3d(-1, 1, -1), Vector3d(1, 1, 1)})
      normal += field_(p + h * k) * k;
    if (normal.norm() > 0) normal.normalize();
    crossings_.push_back({corner, axis, a < 0, p, normal});
    return crossings_.size() - 1;
  }

  void add_vertex(std::size_t cell, const std::vector<std::size_t>& crossed) {
    Vector3d middle = Vector3d::Zero();
    for (const std::size_t c : crossed) middle += crossings_[c].point / static_cast<double>(crossed.size());
    // Nearest to all planes; where they leave it open, at the middle.
    constexpr double hold = 0.02;
    Eigen::Matrix3d matrix = hold * Eigen::Matrix3d::Identity();
    Vector3d right = Vector3d::Zero();
    for (const std::size_t c : crossed) {
      const Vector3d& n = crossings_[c].normal;
      matrix += n * n.transpose();
      right += n * n.dot(crossings_[c].point - middle);
    }
    const Vector3d way = matrix.ldlt().solve(right);
    // Not out of its cell.
    const Vector3d low = grid_.point(cell) + Vector3d::Constant(0.03 * grid_.step);
    const Vector3d high = low + Vector3d::Constant(0.94 * grid_.step);
    middle = middle.cwiseMax(low).cwiseMin(high);
    double t = 1;
    for (int k = 0; k < 3; ++k) {
      if (way[k] > 0) t = std::min(t, (high[k] - middle[k]) / way[k]);
      if (way[k] < 0) t = std::min(t, (low[k] - middle[k]) / way[k]);
    }
    mesh_.vertices.push_back(middle + t * way);
    middles_.push_back(middle);
  }

  void add_quad(const Crossing& crossing) {
    const std::size_t u = (crossing.axis + 1) % 3;
    const std::size_t v = (crossing.axis + 2) % 3;
    std::array<std::uint32_t, 4> quad{};
    // Counter-clockwise seen from above the axis.
    constexpr std::array<std::array<std::size_t, 2>, 4> back{{{1, 1}, {0, 1}, {0, 0}, {1, 0}}};
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t behind = back[i][0] * grid_.stride(u) + back[i][1] * grid_.stride(v);
      if (behind > crossing.corner || first_vertex_[crossing.corner - behind] < 0) {
        whole_ = false;  // a neighbour was left out: the field is steeper than allowed
        return;
      }
      const std::size_t cell = crossing.corner - behind;
      const unsigned start = static_cast<unsigned>((back[i][0] << u) | (back[i][1] << v));
      std::size_t e = 4 * crossing.axis;
      while (edge_start[e] != start) ++e;
      quad[i] = static_cast<std::uint32_t>(first_vertex_[cell] + sheet_table()[inner_[cell]].of_edge[e]);
    }
    if (!crossing.outward) std::swap(quad[1], quad[3]);
    const auto& p = mesh_.vertices;
    // The diagonal that lies in the surface: along an edge, not across it.
    const bool other =
        std::abs(field_(0.5 * (p[quad[1]] + p[quad[3]]))) < std::abs(field_(0.5 * (p[quad[0]] + p[quad[2]])));
    const std::size_t s = other ? 1 : 0;
    mesh_.faces.push_back({quad[s], quad[s + 1], quad[s + 2]});
    mesh_.faces.push_back({quad[s], quad[s + 2], quad[(s + 3) % 4]});
  }

  const Field& field_;
  Grid grid_;
  std::vector<float> values_;               // [corner]
  std::vector<std::int32_t> first_vertex_;  // [cell, by its lowest corner]
  std::vector<std::uint8_t> inner_;         // [cell]
  std::vector<std::int32_t> crossing_of_;   // [corner, axis]
  std::vector<Crossing> crossings_;
  std::vector<Vector3d> middles_;  // [vertex]
  TriangleMesh mesh_;
  bool whole_ = true;
};

/// Every edge once in each direction.
bool is_manifold(const TriangleMesh& mesh) {
  std::vector<std::uint64_t> edges;
  edges.reserve(3 * mesh.faces.size());
  for (const auto& face : mesh.faces)
    for (std::size_t i = 0; i < 3; ++i)
      edges.push_back((static_cast<std::uint64_t>(face[i]) << 32U) | face[(i + 1) % 3]);
  std::sort(edges.begin(), edges.end());
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end()) return false;
  return std::all_of(edges.begin(), edges.end(), [&](std::uint64_t e) {
    return std::binary_search(edges.begin(), edges.end(), (e << 32U) | (e >> 32U));
  });
}

/// The connected surface with most faces, its vertices numbered anew.
TriangleMesh largest_part(const TriangleMesh& mesh) {
  std::vector<std::uint32_t> root(mesh.vertices.size());
  std::iota(root.begin(), root.end(), 0U);
  const auto find = [&](std::uint32_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (const auto& face : mesh.faces) {
    root[find(face[1])] = find(face[0]);
    root[find(face[2])] = find(face[0]);
  }
  std::vector<std::uint32_t> faces(root.size());
  for (const auto& face : mesh.faces) ++faces[find(face[0])];
  const auto largest =
      static_cast<std::uint32_t>(std::max_element(faces.begin(), faces.end()) - faces.begin());
  TriangleMesh part;
  std::vector<std::uint32_t> number(root.size());
  for (std::uint32_t v = 0; v < root.size(); ++v) {
    if (find(v) != largest) continue;
    number[v] = static_cast<std::uint32_t>(part.vertices.size());
    part.vertices.push_back(mesh.vertices[v]);
  }
  for (const auto& face : mesh.faces)
    if (find(face[0]) == largest) part.faces.push_back({number[face[0]], number[face[1]], number[face[2]]});
  return part;
}

/// A box around the solid, by a coarse look.
Eigen::AlignedBox3d bounds_of(const Field& field) {
  Grid coarse{Vector3d::Constant(-reach), 2 * reach / 64, {64, 64, 64}};
  Eigen::AlignedBox3d box;
  cells_near_surface(field, coarse, {0, 0, 0}, 64, 1.3, [&](int x, int y, int z) {
    const Vector3d middle = coarse.low + coarse.step * Vector3d(x + 0.5, y + 0.5, z + 0.5);
    if (field(middle) > 0.9 * coarse.step) return;
    box.extend(middle - Vector3d::Constant(coarse.step));
    box.extend(middle + Vector3d::Constant(coarse.step));
  });
  return box;
}

/// Empty where it cannot be made clean on this grid.
TriangleMesh clean_surface(const Field& field, const Grid& grid, double slack) {
  DualSurface surface(field, grid, slack);
  TriangleMesh& mesh = surface.mesh();
  if (!surface.whole() || mesh.faces.empty() || !is_manifold(mesh)) return {};
  constexpr int rounds = 4;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<std::size_t> crossing = crossing_triangles(mesh.vertices, mesh.faces);
    if (crossing.empty()) return largest_part(mesh);
    for (const std::size_t f : crossing)
      for (const std::uint32_t v : mesh.faces[f]) surface.relax(v);
  }
  return {};
}

}  // namespace

Result<TriangleMesh> mesh_of_field(const Field& field, double steps) {
  const Eigen::AlignedBox3d box = bounds_of(field);
  if (box.isEmpty()) return Error{Cause::degenerate, "the solid is empty", {}};
  // Two sheets that meet at one side of a cell may make an edge of four faces: another grid has others.
  constexpr int attempts = 6;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Grid grid;
    grid.step = box.sizes().maxCoeff() / (steps * (1 + 0.06 * attempt));
    grid.low = box.min() - (1.31 + 0.17 * attempt) * grid.step * Vector3d(1, 1.13, 1.29);
    for (int k = 0; k < 3; ++k)
      grid.cells[static_cast<std::size_t>(k)] =
          static_cast<int>(std::ceil((box.max()[k] - grid.low[k]) / grid.step)) + 2;
    TriangleMesh mesh = clean_surface(field, grid, attempt == 0 ? 1.2 : 2.0);
    if (!mesh.faces.empty()) return mesh;
  }
  return Error{Cause::degenerate, "no clean surface of this solid was found", {}};
}

}  // namespace pmtr
