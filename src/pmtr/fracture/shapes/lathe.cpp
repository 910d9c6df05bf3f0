// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/lathe.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include "pmtr/core/check.h"
#include "pmtr/fracture/shapes/shape_profile.h"
#include "pmtr/fracture/shapes/turned_grid.h"

namespace pmtr::lathe {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

double cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

bool is_corner(const Vector2d& before, const Vector2d& at, const Vector2d& after) {
  const Vector2d in = at - before;
  const Vector2d out = after - at;
  return std::atan2(std::abs(cross(in, out)), in.dot(out)) > 0.35;
}

/// Points about `step` apart; corners stay where they are.
Line evenly(Line line, double step, bool closed) {
  line.erase(std::unique(line.begin(), line.end(),
                         [](const Vector2d& a, const Vector2d& b) { return (a - b).norm() < 1e-9; }),
             line.end());
  if (closed) {
    const std::size_t n = line.size();
    std::size_t first = 0;
    while (first < n && !is_corner(line[(first + n - 1) % n], line[first], line[(first + 1) % n])) ++first;
    std::rotate(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(first % n), line.end());
    line.push_back(line.front());
  }
  Line out;
  Line run{line[0]};
  for (std::size_t i = 1; i < line.size(); ++i) {
    run.push_back(line[i]);
    const bool last = i + 1 == line.size();
    if (!last && !is_corner(line[i - 1], line[i], line[i + 1])) continue;
    const Line even = even_steps(run, step, 1);
    out.insert(out.end(), even.begin(), even.end() - 1);
    run = {line[i]};
  }
  if (!closed) out.push_back(line.back());
  return out;
}

/// Where the line crosses itself soon after, the way between is cut out.
Line without_loops(const Line& line) {
  constexpr std::size_t longest = 80;
  Line out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    out.push_back(line[i]);
    if (i + 1 == line.size()) break;
    const Vector2d along = line[i + 1] - line[i];
    for (std::size_t j = std::min(i + longest, line.size() - 2); j > i + 1; --j) {
      const Vector2d other = line[j + 1] - line[j];
      const double turn = cross(along, other);
      if (turn == 0) continue;
      const double s = cross(line[j] - line[i], other) / turn;
      const double t = cross(line[j] - line[i], along) / turn;
      if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) continue;
      out.push_back(line[i] + s * along);
      i = j;
      break;
    }
  }
  return out;
}

/// The inner side of a wall, from the rim down.
Line inner_side(const Line& outside, double thickness) {
  Line inside = without_loops(offset_inside(even_steps(outside, 0.004, 2), thickness));
  std::reverse(inside.begin(), inside.end());
  return inside;
}

Line circle() {
  Line line;
  for (int i = 0; i < 256; ++i) line.emplace_back(std::cos(M_PI * i / 128), std::sin(M_PI * i / 128));
  return line;
}

double length_of(const Line& closed) {
  double length = (closed.front() - closed.back()).norm();
  for (std::size_t i = 1; i < closed.size(); ++i) length += (closed[i] - closed[i - 1]).norm();
  return length;
}

/// The rows of a grid that a height falls on, outside: the section runs up there first.
std::size_t row_at(const Line& section, double z) {
  std::size_t row = 1;
  while (row + 1 < section.size() && section[row].y() < z) ++row;
  return row;
}

/// Openings for handles and the spout: rows and columns of about this thickness.
TurnedGrid::Opening opening_at(const Line& section, std::size_t around, double z, double thickness,
                               double step, double radius, bool opposite) {
  TurnedGrid::Opening opening{};
  opening.height = std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(thickness / step)));
  const double column = 2 * M_PI * radius / static_cast<double>(around);
  opening.width = std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(thickness / column)));
  opening.row = row_at(section, z);
  opening.column = opposite ? around / 2 - opening.width / 2 : 0;
  return opening;
}

void add_fittings(TurnedGrid& grid, const Lathe& lathe, const Line& section, double step) {
  const auto radius_at = [&](double z) { return section[row_at(section, z)].x(); };
  const auto angle = [&](std::size_t column) {
    return 2 * M_PI * static_cast<double>(column) / static_cast<double>(grid.around());
  };
  std::vector<TurnedGrid::Opening> openings;
  for (const Handle& handle : lathe.handles) {
    const double radius = (radius_at(handle.top) + radius_at(handle.bottom)) / 2;
    for (const double z : {handle.top, handle.bottom})
      openings.push_back(
          opening_at(section, grid.around(), z, handle.thickness, step, radius, handle.opposite));
    const auto& lower = openings.back();
    const auto& upper = openings[openings.size() - 2];
    PMTR_CHECK(lower.row + lower.height + 1 < upper.row, "no place for a handle");
  }
  if (lathe.spout)
    openings.push_back(opening_at(section, grid.around(), lathe.spout->height, lathe.spout->thickness, step,
                                  radius_at(lathe.spout->height), true));
  grid.add_patches(openings);
  for (std::size_t i = 0; i < lathe.handles.size(); ++i) {
    const auto& upper = openings[2 * i];
    const double length = 2 * lathe.handles[i].reach + lathe.handles[i].top - lathe.handles[i].bottom;
    grid.add_handle(upper, openings[2 * i + 1], angle(upper.column), angle(upper.width),
                    lathe.handles[i].reach, std::max<std::size_t>(10, std::lround(length / step)), 1);
  }
  if (lathe.spout) {
    const Spout& spout = *lathe.spout;
    const auto& opening = openings.back();
    grid.add_spout(opening, angle(opening.column) + angle(opening.width) / 2, spout.reach, spout.rise, 0.55,
                   std::max<std::size_t>(6, std::lround(std::hypot(spout.reach, spout.rise) / step)));
  }
}

}  // namespace

TriangleMesh make(const Lathe& lathe, double step, Random& random) {
  for (const Handle& handle : lathe.handles) step = std::min(step, 0.19 * (handle.top - handle.bottom));
  const Line whole = lathe.outline.empty() ? circle() : lathe.outline;
  const double wide = length_of(whole) / (2 * M_PI);
  Line section = lathe.section;
  for (Vector2d& p : section) p.x() *= wide;
  section = evenly(section, step, lathe.closed);
  double radius = 0;
  for (Vector2d& p : section) {
    p.x() /= wide;
    radius = std::max(radius, p.x());
  }
  constexpr double least_columns = 20;
  const Line outline = evenly(whole, std::min(step / radius, length_of(whole) / least_columns), true);
  const double oval = lathe.uneven * random.uniform(0, 0.03);
  const double wave = lathe.uneven * random.uniform(0, 0.01);
  const double phase = random.uniform(0, 2 * M_PI);
  TurnedGrid grid(section, outline.size(), lathe.closed, [&](const Vector2d& p, std::size_t k) {
    const double angle = std::atan2(outline[k].y(), outline[k].x());
    const double round = lathe.roundness ? lathe.roundness(p.y()) : 0.0;
    // The same factor inside and outside: walls keep their thickness.
    const double uneven =
        1 + oval * std::cos(2 * angle + phase) + wave * std::sin(3 * angle + 9 * p.y() + phase);
    const Vector2d at = p.x() * uneven * (outline[k] + round * (outline[k].normalized() - outline[k]));
    return Vector3d(at.x(), at.y(), p.y());
  });
  add_fittings(grid, lathe, section, step);
  TriangleMesh mesh = grid.take();
  for (Vector3d& p : mesh.vertices)
    for (const Warp& warp : lathe.warps) p = warp(p);
  return mesh;
}

Line curve(const Line& points) { return smooth_curve(points); }

Line operator+(Line first, const Line& next) {
  first.insert(first.end(), next.begin(), next.end());
  return first;
}

Line solid(Line outside) {
  outside.front().x() = 0;
  if (outside.back().x() > 0) outside.emplace_back(0, outside.back().y());
  return outside;
}

Line cup(const Line& outside, double thickness, double floor) {
  Line inside = inner_side(outside, thickness);
  std::erase_if(inside, [&](const Vector2d& p) { return p.y() < floor + thickness || p.x() < 1e-3; });
  PMTR_CHECK(!inside.empty(), "a cup has an inside");
  inside.emplace_back(0, inside.back().y());
  return outside + inside;
}

Line pipe(const Line& outside, double thickness) { return outside + inner_side(outside, thickness); }

Line polygon(int sides) {
  Line line;
  for (int i = 0; i < sides; ++i)
    line.emplace_back(std::cos(2 * M_PI * (i + 0.5) / sides), std::sin(2 * M_PI * (i + 0.5) / sides));
  return line;
}

Line rectangle(double half_x, double half_y) {
  return {{half_x, -half_y}, {half_x, half_y}, {-half_x, half_y}, {-half_x, -half_y}};
}

Line star(int points, double inner) {
  Line line = polygon(2 * points);
  for (std::size_t i = 0; i < line.size(); i += 2) line[i] *= inner;
  return line;
}

Line gear(int teeth, double inner) {
  Line line;
  for (int i = 0; i < teeth; ++i) {
    for (const auto& [part, radius] :
         {std::pair(0.0, inner), std::pair(0.32, inner), std::pair(0.45, 1.0), std::pair(0.87, 1.0)}) {
      const double angle = 2 * M_PI * (i + part) / teeth;
      line.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
    }
  }
  return line;
}

Line plus(double arm) {
  Line line;
  for (int i = 0; i < 4; ++i) {
    const Eigen::Rotation2Dd turn(M_PI / 2 * i);
    for (const Vector2d& p : {Vector2d(1, -arm), Vector2d(1, arm), Vector2d(arm, arm)})
      line.push_back(turn * p);
  }
  return line;
}

Line flutes(int count, double depth) {
  Line line = circle();
  for (Vector2d& p : line) p *= 1 - depth * std::abs(std::sin(0.5 * count * std::atan2(p.y(), p.x())));
  return line;
}

Line squarish(double power) {
  Line line = circle();
  for (Vector2d& p : line) p /= std::pow(p.cwiseAbs().array().pow(power).sum(), 1 / power);
  return line;
}

Warp scale(double x, double y, double z) {
  return [=](const Vector3d& p) { return Vector3d(x * p.x(), y * p.y(), z * p.z()); };
}

Warp flip() {
  return [](const Vector3d& p) { return Vector3d(p.x(), -p.y(), -p.z()); };
}

Warp bend(double radius) {
  return [=](const Vector3d& p) {
    const double angle = p.z() / radius;
    return Vector3d((radius + p.x()) * std::cos(angle) - radius, p.y(), (radius + p.x()) * std::sin(angle));
  };
}

Warp lie() {
  return [](const Vector3d& p) { return Vector3d(-p.z(), p.y(), p.x()); };
}

Warp twist(double per_height) {
  return [=](const Vector3d& p) { return Eigen::AngleAxisd(per_height * p.z(), Vector3d::UnitZ()) * p; };
}

Warp lean(double x_per_height) {
  return [=](const Vector3d& p) { return Vector3d(p.x() + x_per_height * p.z(), p.y(), p.z()); };
}

Warp press(std::function<double(double, double)> height) {
  return [height = std::move(height)](const Vector3d& p) {
    return Vector3d(p.x(), p.y(), p.z() + height(p.x(), p.y()));
  };
}

}  // namespace pmtr::lathe
