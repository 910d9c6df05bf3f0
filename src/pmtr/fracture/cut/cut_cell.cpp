// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/cut_cell.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "pmtr/fracture/cut/cut_parts.h"
#include "pmtr/fracture/cut/fill_points.h"
#include "pmtr/fracture/cut/planar_triangulation.h"
#include "pmtr/fracture/cut/triangle_crossing.h"

namespace pmtr {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

class CellCutter {
 public:
  CellCutter(WorkingComplex& working, std::int32_t cell, const CutSurface& surface, const CutLimits& limits,
             Random& random)
      : working_(working), cell_(cell), surface_(surface), limits_(limits), random_(random) {}

  bool cut() {
    refine();
    if (!split_crossed_edges()) return false;
    find_outline();
    return make_wall() && wall_is_free() && commit();
  }

 private:
  /// Height above the surface, once per vertex.
  double above(std::uint32_t v) {
    const auto [entry, is_new] = above_.try_emplace(v, 0.0);
    if (is_new) entry->second = surface_.above(working_.vertices()[v]);
    return entry->second;
  }
  bool is_above(std::uint32_t v) { return above(v) >= 0; }  // a vertex on the surface counts as above

  double length(const Edge& edge) const {
    return (working_.vertices()[edge.first] - working_.vertices()[edge.second]).norm();
  }

  /// Long triangles would follow the surface's bumps only roughly: halve them where it passes.
  void refine() {
    for (int round = 0; round < 24; ++round) {
      std::vector<Edge> longest;
      for (const std::uint32_t f : working_.faces_of_cell(cell_)) {
        const auto& face = working_.face(f);
        double low = above(face[0]);
        double high = low;
        Edge edge;
        double best = -1;
        for (std::size_t i = 0; i < 3; ++i) {
          low = std::min(low, above(face[i]));
          high = std::max(high, above(face[i]));
          const Edge candidate = std::minmax(face[i], face[(i + 1) % 3]);
          if (const double l = length(candidate); l > best) best = l, edge = candidate;
        }
        const double reach = surface_.noise.bound();
        if (best > limits_.max_edge && low < reach && high > -reach) longest.push_back(edge);
      }
      if (longest.empty()) return;
      std::sort(longest.begin(), longest.end());
      longest.erase(std::unique(longest.begin(), longest.end()), longest.end());
      for (const Edge& edge : longest) working_.split_edge(edge.first, edge.second, 0.5);
    }
  }

  bool split_crossed_edges() {
    std::vector<Edge> crossed;
    for (const std::uint32_t f : working_.faces_of_cell(cell_)) {
      const auto& face = working_.face(f);
      for (std::size_t i = 0; i < 3; ++i) {
        const Edge edge = std::minmax(face[i], face[(i + 1) % 3]);
        if (is_above(edge.first) != is_above(edge.second)) crossed.push_back(edge);
      }
    }
    std::sort(crossed.begin(), crossed.end());
    crossed.erase(std::unique(crossed.begin(), crossed.end()), crossed.end());
    for (const Edge& edge : crossed) {
      const std::uint32_t v = working_.split_edge(edge.first, edge.second, crossing(edge));
      outline_index_.emplace(v, static_cast<std::int32_t>(outline_.size()));
      outline_.push_back(v);
    }
    return outline_.size() >= 3;
  }

  /// Where the surface crosses the edge (false position, Illinois). Precise, because a wall whose border is
  /// not quite on the surface would cut through the faces beside it; kept off the ends only as far as single
  /// precision asks for.
  double crossing(const Edge& edge) {
    const Eigen::Vector3d a = working_.vertices()[edge.first];
    const Eigen::Vector3d way = working_.vertices()[edge.second] - a;
    double low = 0;
    double high = 1;
    double at_low = above(edge.first);
    double at_high = above(edge.second);
    double t = 0.5;
    int kept = 0;
    for (int i = 0; i < 40 && high - low > 1e-7; ++i) {
      t = at_low == at_high ? (low + high) / 2 : low + (high - low) * at_low / (at_low - at_high);
      const double at_t = surface_.above(a + t * way);
      if (std::abs(at_t) < 1e-9 * limits_.max_edge) break;
      if ((at_t >= 0) == (at_low >= 0)) {
        low = t, at_low = at_t;
        if (kept > 0) at_high /= 2;
        kept = 1;
      } else {
        high = t, at_high = at_t;
        if (kept < 0) at_low /= 2;
        kept = -1;
      }
    }
    return std::clamp(t, 2e-4, 1 - 2e-4);
  }

  /// The faces below end at the outline; the wall has their edges reversed, which puts its inside on the
  /// left.
  void find_outline() {
    for (const std::uint32_t f : working_.faces_of_cell(cell_)) {
      const auto face = working_.face_of(f, cell_);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto a = outline_index_.find(face[i]);
        const auto b = outline_index_.find(face[(i + 1) % 3]);
        if (a == outline_index_.end() || b == outline_index_.end()) continue;
        if (!is_above(face[(i + 2) % 3])) borders_.push_back({b->second, a->second});
      }
    }
  }

  bool make_wall() {
    std::vector<Eigen::Vector2d> plane;
    for (const std::uint32_t v : outline_) plane.push_back(surface_.project(working_.vertices()[v]));
    if (borders_.size() < 3) return false;
    const auto inner = fill_points(plane, borders_, limits_.spacing, random_);
    plane.insert(plane.end(), inner.begin(), inner.end());
    const auto triangles = triangulate_region(plane, borders_);
    if (!triangles || triangles->empty()) return false;
    wall_ = *triangles;
    for (const Eigen::Vector2d& uv : inner) inner_points_.push_back(working_.rounded(surface_.point(uv)));
    return true;
  }

  /// The wall must not run through the cell's own surface. Only faces near the surface can be met.
  bool wall_is_free() const {
    const auto outer = static_cast<std::uint32_t>(working_.vertices().size());
    std::vector<Eigen::Vector3d> points = working_.vertices();
    points.insert(points.end(), inner_points_.begin(), inner_points_.end());
    std::vector<TriangleCorners> wall;
    for (const auto& t : wall_) {
      TriangleCorners corners{};
      for (std::size_t i = 0; i < 3; ++i) corners[i] = wall_vertex(t[i], outer);
      wall.push_back(corners);
    }
    std::vector<TriangleCorners> faces;
    const double reach = 2 * limits_.max_edge + limits_.spacing;
    for (const std::uint32_t f : working_.faces_of_cell(cell_)) {
      const auto near = [&](std::uint32_t v) {
        const auto known = above_.find(v);
        return known == above_.end() || std::abs(known->second) < reach;
      };
      const auto& face = working_.face(f);
      if (near(face[0]) || near(face[1]) || near(face[2])) faces.push_back(face);
    }
    return !find_crossing(points, wall, faces) && !find_crossing(points, wall, wall);
  }

  std::uint32_t wall_vertex(std::int32_t i, std::uint32_t first_inner) const {
    const auto index = static_cast<std::size_t>(i);
    if (index < outline_.size()) return outline_[index];
    return first_inner + static_cast<std::uint32_t>(index - outline_.size());
  }

  bool commit() {
    const auto first_inner = static_cast<std::uint32_t>(working_.vertices().size());
    CutParts parts;
    for (const std::uint32_t f : working_.faces_of_cell(cell_)) {
      bool above_side = false;
      for (const std::uint32_t v : working_.face(f)) {
        if (!outline_index_.contains(v)) above_side = is_above(v);
      }
      parts.faces[above_side ? 1 : 0].push_back(f);
    }
    for (const auto& t : wall_) {
      parts.wall.push_back(
          {wall_vertex(t[0], first_inner), wall_vertex(t[1], first_inner), wall_vertex(t[2], first_inner)});
    }
    parts.inner_points = std::move(inner_points_);
    return apply_cut(working_, cell_, parts, limits_.min_volume);
  }

  WorkingComplex& working_;
  std::int32_t cell_;
  const CutSurface& surface_;
  const CutLimits& limits_;
  Random& random_;
  std::unordered_map<std::uint32_t, double> above_;
  std::vector<std::uint32_t> outline_;
  std::unordered_map<std::uint32_t, std::int32_t> outline_index_;
  std::vector<BorderSegment> borders_;
  std::vector<std::array<std::int32_t, 3>> wall_;
  std::vector<Eigen::Vector3d> inner_points_;
};

}  // namespace

bool cut_cell(WorkingComplex& working, std::int32_t cell, const CutSurface& surface, const CutLimits& limits,
              Random& random) {
  return CellCutter(working, cell, surface, limits, random).cut();
}

}  // namespace pmtr
