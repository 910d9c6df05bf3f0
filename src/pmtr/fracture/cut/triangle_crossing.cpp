// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/triangle_crossing.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace pmtr {
namespace {

using Eigen::Vector3d;
using Box = Eigen::AlignedBox3d;

/// On which side of the plane abc lies d; 0 where rounding decides.
int side(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  const Vector3d p = a - d;
  const Vector3d q = b - d;
  const Vector3d r = c - d;
  const double volume = p.dot(q.cross(r));
  const double scale = p.cwiseAbs().maxCoeff() * q.cwiseAbs().maxCoeff() * r.cwiseAbs().maxCoeff();
  if (std::abs(volume) <= 1e-14 * scale) return 0;
  return volume > 0 ? 1 : -1;
}

bool pierces(const Vector3d& p, const Vector3d& q, const std::array<Vector3d, 3>& t) {
  const int from = side(t[0], t[1], t[2], p);
  if (from == 0 || from != -side(t[0], t[1], t[2], q)) return false;
  const int turn = side(p, q, t[0], t[1]);
  return turn != 0 && turn == side(p, q, t[1], t[2]) && turn == side(p, q, t[2], t[0]);
}

Box box_of(std::span<const Vector3d> points, const TriangleCorners& t) {
  Box box(points[t[0]]);
  box.extend(points[t[1]]);
  box.extend(points[t[2]]);
  return box;
}

bool holds(const TriangleCorners& t, std::uint32_t v) { return t[0] == v || t[1] == v || t[2] == v; }

/// Triangles by the cubes of a grid that their boxes meet; only what lies in `region` is kept.
class TriangleGrid {
 public:
  TriangleGrid(std::span<const Vector3d> points, std::span<const TriangleCorners> triangles,
               const Box& region)
      : region_(region) {
    std::vector<std::uint32_t> near;
    double size = 0;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const Box box = box_of(points, triangles[t]);
      if (!box.intersects(region)) continue;
      near.push_back(static_cast<std::uint32_t>(t));
      size += box.sizes().maxCoeff();
    }
    if (near.empty()) return;
    step_ = std::max(size / static_cast<double>(near.size()), 1e-12 + region.sizes().maxCoeff() / 128);
    for (int k = 0; k < 3; ++k) count_[k] = static_cast<std::int64_t>(region.sizes()[k] / step_) + 1;
    starts_.assign(static_cast<std::size_t>(count_.prod() + 1), 0);
    const auto visit = [&](auto&& action) {
      for (const std::uint32_t t : near)
        for_cubes(box_of(points, triangles[t]), [&](std::size_t cube) { action(cube, t); });
    };
    visit([&](std::size_t cube, std::uint32_t) { ++starts_[cube + 1]; });
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    items_.resize(starts_.back());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    visit([&](std::size_t cube, std::uint32_t t) { items_[next[cube]++] = t; });
  }

  template <class Action>
  void candidates(const Box& box, Action&& action) const {
    if (items_.empty() || !box.intersects(region_)) return;
    for_cubes(box, [&](std::size_t cube) {
      for (std::size_t i = starts_[cube]; i < starts_[cube + 1]; ++i) action(items_[i]);
    });
  }

 private:
  using Cube = Eigen::Matrix<std::int64_t, 3, 1>;
  Cube cube_at(const Vector3d& p) const {
    Cube cube;
    for (int k = 0; k < 3; ++k) {
      const double i = std::floor((p[k] - region_.min()[k]) / step_);
      cube[k] = static_cast<std::int64_t>(std::clamp(i, 0.0, static_cast<double>(count_[k] - 1)));
    }
    return cube;
  }
  template <class Action>
  void for_cubes(const Box& box, Action&& action) const {
    const Cube low = cube_at(box.min());
    const Cube high = cube_at(box.max());
    for (std::int64_t x = low[0]; x <= high[0]; ++x)
      for (std::int64_t y = low[1]; y <= high[1]; ++y)
        for (std::int64_t z = low[2]; z <= high[2]; ++z)
          action(static_cast<std::size_t>((x * count_[1] + y) * count_[2] + z));
  }

  Box region_;
  double step_ = 1;
  Cube count_ = Cube::Ones();
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> items_;
};

/// Calls visit(i, j) for pairs that cross until it returns false.
template <class Visit>
void visit_crossings(std::span<const Vector3d> points, std::span<const TriangleCorners> first,
                     std::span<const TriangleCorners> second, Visit&& visit) {
  Box region;
  for (const TriangleCorners& t : first) region.extend(box_of(points, t));
  if (region.isEmpty()) return;
  const TriangleGrid grid(points, second, region);
  bool go_on = true;
  for (std::size_t i = 0; i < first.size() && go_on; ++i) {
    const Box box = box_of(points, first[i]);
    grid.candidates(box, [&](std::uint32_t j) {
      if (!go_on || (first.data() == second.data() && j <= i)) return;
      if (!box.intersects(box_of(points, second[j]))) return;
      if (triangles_cross(points, first[i], second[j])) go_on = visit(i, static_cast<std::size_t>(j));
    });
  }
}

}  // namespace

bool triangles_cross(std::span<const Vector3d> points, const TriangleCorners& a, const TriangleCorners& b) {
  const auto through = [&](const TriangleCorners& edges_of, const TriangleCorners& into) {
    const std::array<Vector3d, 3> corners{points[into[0]], points[into[1]], points[into[2]]};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t p = edges_of[i];
      const std::uint32_t q = edges_of[(i + 1) % 3];
      if (holds(into, p) || holds(into, q)) continue;
      if (pierces(points[p], points[q], corners)) return true;
    }
    return false;
  };
  const int shared =
      static_cast<int>(holds(b, a[0])) + static_cast<int>(holds(b, a[1])) + static_cast<int>(holds(b, a[2]));
  if (shared >= 2) return false;
  return through(a, b) || through(b, a);
}

std::optional<std::pair<std::size_t, std::size_t>> find_crossing(std::span<const Vector3d> points,
                                                                 std::span<const TriangleCorners> first,
                                                                 std::span<const TriangleCorners> second) {
  std::optional<std::pair<std::size_t, std::size_t>> found;
  visit_crossings(points, first, second, [&](std::size_t i, std::size_t j) {
    found.emplace(i, j);
    return false;
  });
  return found;
}

std::vector<std::size_t> crossing_triangles(std::span<const Vector3d> points,
                                            std::span<const TriangleCorners> triangles) {
  std::vector<std::size_t> found;
  visit_crossings(points, triangles, triangles, [&](std::size_t i, std::size_t j) {
    found.push_back(i);
    found.push_back(j);
    return true;
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace pmtr
