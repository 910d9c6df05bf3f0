// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/delaunay.h"

#include <deque>
#include <utility>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

__extension__ using Wide = __int128;

constexpr int next(int i) { return (i + 1) % 3; }
constexpr int previous(int i) { return (i + 2) % 3; }
constexpr std::size_t u(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Delaunay::Delaunay(std::span<const GridPoint> points)
    : points_(points.begin(), points.end()), triangle_of_(points.size() + 3, -1) {
  constexpr std::int64_t extent = std::int64_t{1} << 24;
  const auto first = static_cast<std::int32_t>(points.size());
  points_.push_back({-2 * extent, -2 * extent});
  points_.push_back({5 * extent, -2 * extent});
  points_.push_back({-2 * extent, 5 * extent});
  triangles_.push_back({{first, first + 1, first + 2}, {-1, -1, -1}, {}});
}

int Delaunay::orientation(std::int32_t a, std::int32_t b, std::int32_t c) const {
  const GridPoint& p = points_[u(a)];
  const GridPoint& q = points_[u(b)];
  const GridPoint& r = points_[u(c)];
  const std::int64_t cross = (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
  return cross > 0 ? 1 : (cross < 0 ? -1 : 0);
}

bool Delaunay::in_circle(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) const {
  const GridPoint& o = points_[u(d)];
  std::array<std::int64_t, 3> x{};
  std::array<std::int64_t, 3> y{};
  std::array<std::int64_t, 3> square{};
  const std::array<std::int32_t, 3> corners{a, b, c};
  for (std::size_t i = 0; i < 3; ++i) {
    x[i] = points_[u(corners[i])].x - o.x;
    y[i] = points_[u(corners[i])].y - o.y;
    square[i] = x[i] * x[i] + y[i] * y[i];
  }
  Wide determinant = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    determinant += static_cast<Wide>(square[i]) * (x[j] * y[k] - y[j] * x[k]);
  }
  return determinant > 0;
}

int Delaunay::side_of(const Triangle& triangle, std::int32_t vertex) {
  return triangle.vertex[0] == vertex ? 0 : (triangle.vertex[1] == vertex ? 1 : 2);
}

int Delaunay::side_towards(const Triangle& triangle, std::int32_t neighbour) {
  return triangle.neighbour[0] == neighbour ? 0 : (triangle.neighbour[1] == neighbour ? 1 : 2);
}

std::int32_t Delaunay::locate(std::int32_t point) {
  std::int32_t t = last_;
  while (true) {
    const Triangle& triangle = at(t);
    std::int32_t step = -1;
    for (int i = 0; i < 3 && step < 0; ++i) {
      if (orientation(triangle.vertex[u(next(i))], triangle.vertex[u(previous(i))], point) < 0)
        step = triangle.neighbour[u(i)];
    }
    if (step < 0) return t;
    t = step;
  }
}

void Delaunay::set_neighbour(std::int32_t triangle, std::int32_t old_one, std::int32_t new_one) {
  if (triangle >= 0) at(triangle).neighbour[u(side_towards(at(triangle), old_one))] = new_one;
}

std::int32_t Delaunay::add(const Triangle& triangle) {
  triangles_.push_back(triangle);
  return static_cast<std::int32_t>(triangles_.size() - 1);
}

void Delaunay::split_inside(std::int32_t t, std::int32_t point) {
  const Triangle old = at(t);
  const auto& [a, b, c] = old.vertex;
  const std::int32_t t1 = static_cast<std::int32_t>(triangles_.size());
  const std::int32_t t2 = t1 + 1;
  at(t) = {{point, b, c}, {old.neighbour[0], t1, t2}, {}};
  add({{point, c, a}, {old.neighbour[1], t2, t}, {}});
  add({{point, a, b}, {old.neighbour[2], t, t1}, {}});
  set_neighbour(old.neighbour[1], t, t1);
  set_neighbour(old.neighbour[2], t, t2);
  for (const std::int32_t s : {t, t1, t2}) suspects_.push_back({s, 0});
  triangle_of_[u(a)] = t1;
  triangle_of_[u(b)] = triangle_of_[u(c)] = triangle_of_[u(point)] = t;
}

void Delaunay::split_edge(std::int32_t t, int side, std::int32_t point) {
  const Triangle old = at(t);
  const std::int32_t a = old.vertex[u(side)];
  const std::int32_t b = old.vertex[u(next(side))];
  const std::int32_t c = old.vertex[u(previous(side))];
  const std::int32_t s = old.neighbour[u(side)];
  PMTR_CHECK(s >= 0, "points lie inside the surrounding triangle");
  const Triangle other = at(s);
  const int back = side_towards(other, t);
  const std::int32_t d = other.vertex[u(back)];  // other is d, c, b
  const std::int32_t t1 = static_cast<std::int32_t>(triangles_.size());
  const std::int32_t s1 = t1 + 1;
  const std::int32_t beyond_ca = old.neighbour[u(next(side))];
  const std::int32_t beyond_ab = old.neighbour[u(previous(side))];
  const std::int32_t beyond_bd = other.neighbour[u(next(back))];
  const std::int32_t beyond_dc = other.neighbour[u(previous(back))];
  at(t) = {{point, a, b}, {beyond_ab, s, t1}, {}};
  at(s) = {{point, b, d}, {beyond_bd, s1, t}, {}};
  add({{point, c, a}, {beyond_ca, t, s1}, {}});
  add({{point, d, c}, {beyond_dc, t1, s}, {}});
  set_neighbour(beyond_ca, t, t1);
  set_neighbour(beyond_dc, s, s1);
  for (const std::int32_t i : {t, s, t1, s1}) suspects_.push_back({i, 0});
  triangle_of_[u(a)] = triangle_of_[u(b)] = triangle_of_[u(point)] = t;
  triangle_of_[u(c)] = t1;
  triangle_of_[u(d)] = s;
}

void Delaunay::flip(Edge edge) {
  const std::int32_t t = edge.triangle;
  const Triangle one = at(t);
  const int i = edge.side;
  const std::int32_t s = one.neighbour[u(i)];
  const Triangle two = at(s);
  const int j = side_towards(two, t);
  const std::int32_t a = one.vertex[u(i)];
  const std::int32_t b = one.vertex[u(next(i))];
  const std::int32_t c = one.vertex[u(previous(i))];
  const std::int32_t d = two.vertex[u(j)];
  // abc and dcb become abd and adc.
  const std::int32_t beyond_ca = one.neighbour[u(next(i))];
  const std::int32_t beyond_ab = one.neighbour[u(previous(i))];
  const std::int32_t beyond_bd = two.neighbour[u(next(j))];
  const std::int32_t beyond_dc = two.neighbour[u(previous(j))];
  at(t) = {{a, b, d}, {beyond_bd, s, beyond_ab}, {two.forced[u(next(j))], false, one.forced[u(previous(i))]}};
  at(s) = {{a, d, c}, {beyond_dc, beyond_ca, t}, {two.forced[u(previous(j))], one.forced[u(next(i))], false}};
  set_neighbour(beyond_bd, s, t);
  set_neighbour(beyond_ca, t, s);
  triangle_of_[u(a)] = triangle_of_[u(b)] = triangle_of_[u(d)] = t;
  triangle_of_[u(c)] = s;
}

void Delaunay::restore(std::int32_t point) {
  // Every suspect edge lies opposite the new point, which is vertex 0 of its triangle.
  while (!suspects_.empty()) {
    const Edge edge = suspects_.back();
    suspects_.pop_back();
    const Triangle& triangle = at(edge.triangle);
    if (triangle.vertex[0] != point) continue;
    const std::int32_t beyond = triangle.neighbour[0];
    if (beyond < 0) continue;
    const std::int32_t d = at(beyond).vertex[u(side_towards(at(beyond), edge.triangle))];
    if (!in_circle(triangle.vertex[0], triangle.vertex[1], triangle.vertex[2], d)) continue;
    flip({edge.triangle, 0});
    suspects_.push_back({edge.triangle, 0});
    suspects_.push_back({beyond, 0});
  }
}

void Delaunay::insert(std::int32_t point) {
  const std::int32_t t = locate(point);
  const Triangle& triangle = at(t);
  int on_edge = -1;
  for (int i = 0; i < 3; ++i) {
    if (orientation(triangle.vertex[u(next(i))], triangle.vertex[u(previous(i))], point) == 0) on_edge = i;
  }
  if (on_edge < 0) {
    split_inside(t, point);
  } else {
    split_edge(t, on_edge, point);
  }
  restore(point);
  last_ = triangle_of_[u(point)];
}

std::optional<Delaunay::Edge> Delaunay::find_edge(std::int32_t a, std::int32_t b) const {
  // Around a: points lie inside the surrounding triangle, so the way round is closed.
  const std::int32_t start = triangle_of_[u(a)];
  std::int32_t t = start;
  do {
    const int i = side_of(at(t), a);
    if (at(t).vertex[u(next(i))] == b) return Edge{t, previous(i)};
    t = at(t).neighbour[u(next(i))];
  } while (t != start);
  return std::nullopt;
}

void Delaunay::force(Edge edge) {
  Triangle& triangle = at(edge.triangle);
  triangle.forced[u(edge.side)] = true;
  const std::int32_t beyond = triangle.neighbour[u(edge.side)];
  at(beyond).forced[u(side_towards(at(beyond), edge.triangle))] = true;
}

std::optional<Delaunay::Edge> Delaunay::first_crossed(std::int32_t a, std::int32_t b, bool& blocked) const {
  const std::int32_t start = triangle_of_[u(a)];
  std::int32_t t = start;
  do {
    const int i = side_of(at(t), a);
    const std::int32_t right = at(t).vertex[u(next(i))];
    const std::int32_t left = at(t).vertex[u(previous(i))];
    const int to_right = orientation(a, b, right);
    const int to_left = orientation(a, b, left);
    if (to_right < 0 && to_left > 0) return Edge{t, i};
    // A point exactly ahead blocks the way; exactly behind it does not.
    if (to_right == 0) {
      const GridPoint& o = points_[u(a)];
      const std::int64_t ahead = (points_[u(right)].x - o.x) * (points_[u(b)].x - o.x) +
                                 (points_[u(right)].y - o.y) * (points_[u(b)].y - o.y);
      if (ahead > 0) {
        blocked = true;
        return std::nullopt;
      }
    }
    t = at(t).neighbour[u(next(i))];
  } while (t != start);
  blocked = true;
  return std::nullopt;
}

bool Delaunay::force_edge(std::int32_t a, std::int32_t b) {
  if (const auto there = find_edge(a, b)) {
    force(*there);
    return true;
  }
  bool blocked = false;
  std::optional<Edge> crossed = first_crossed(a, b, blocked);
  if (blocked) return false;
  // The edges between a and b, named by their ends: flips renumber triangles.
  std::deque<std::pair<std::int32_t, std::int32_t>> crossings;
  std::int32_t t = crossed->triangle;
  int side = crossed->side;
  while (true) {
    const Triangle& triangle = at(t);
    if (triangle.forced[u(side)]) return false;
    crossings.emplace_back(triangle.vertex[u(next(side))], triangle.vertex[u(previous(side))]);
    const std::int32_t beyond = triangle.neighbour[u(side)];
    const int back = side_towards(at(beyond), t);
    const std::int32_t apex = at(beyond).vertex[u(back)];
    if (apex == b) break;
    const int where = orientation(a, b, apex);
    if (where == 0) return false;
    // Go on through the edge that has its ends on both sides.
    side = where > 0 ? next(back) : previous(back);
    const int first_end = orientation(a, b, at(beyond).vertex[u(next(side))]);
    if (first_end == orientation(a, b, at(beyond).vertex[u(previous(side))])) side = 3 - back - side;
    t = beyond;
  }
  while (!crossings.empty()) {
    auto [p, q] = crossings.front();
    crossings.pop_front();
    // The way round a corner of the surrounding triangle is not closed: search at the other end.
    if (u(p) + 3 >= points_.size()) std::swap(p, q);
    const std::optional<Edge> edge = find_edge(p, q);
    PMTR_CHECK(edge.has_value(), "an edge was lost");
    const Triangle& one = at(edge->triangle);
    const std::int32_t r = one.vertex[u(edge->side)];
    const Triangle& two = at(one.neighbour[u(edge->side)]);
    const std::int32_t s = two.vertex[u(side_towards(two, edge->triangle))];
    // r and s see each other across pq only if the four corners are strictly convex.
    if (orientation(r, s, p) * orientation(r, s, q) >= 0) {
      crossings.emplace_back(p, q);
      continue;
    }
    flip(*edge);
    if (orientation(a, b, r) * orientation(a, b, s) < 0) crossings.emplace_back(r, s);
  }
  const auto made = find_edge(a, b);
  if (!made) return false;
  force(*made);
  return true;
}

std::optional<std::vector<std::array<std::int32_t, 3>>> Delaunay::region(
    std::span<const std::array<std::int32_t, 2>> borders) const {
  enum : char { unknown, inside, outside };
  std::vector<char> kind(triangles_.size(), unknown);
  std::vector<std::int32_t> stack;
  bool clash = false;
  const auto mark = [&](std::int32_t t, char what) {
    if (t < 0) return;
    clash = clash || (kind[u(t)] != unknown && kind[u(t)] != what);
    if (kind[u(t)] != unknown) return;
    kind[u(t)] = what;
    stack.push_back(t);
  };
  for (const auto& [a, b] : borders) {
    const auto edge = find_edge(a, b);  // the triangle on the left has the edge from a to b
    PMTR_CHECK(edge.has_value(), "a border that was not forced");
    mark(edge->triangle, inside);
    mark(at(edge->triangle).neighbour[u(edge->side)], outside);
  }
  while (!stack.empty() && !clash) {
    const std::int32_t t = stack.back();
    stack.pop_back();
    for (int i = 0; i < 3; ++i) {
      if (!at(t).forced[u(i)]) mark(at(t).neighbour[u(i)], kind[u(t)]);
    }
  }
  if (clash) return std::nullopt;
  std::vector<std::array<std::int32_t, 3>> triangles;
  const auto corners = static_cast<std::int32_t>(points_.size() - 3);
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    if (kind[t] != inside) continue;
    for (const std::int32_t v : triangles_[t].vertex) {
      if (v >= corners) return std::nullopt;  // the region leaks out: the border is open
    }
    triangles.push_back(triangles_[t].vertex);
  }
  return triangles;
}

}  // namespace pmtr
