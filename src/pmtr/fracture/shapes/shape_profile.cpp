// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/shape_profile.h"

#include <algorithm>
#include <cmath>

namespace pmtr {
namespace {

using Eigen::Vector2d;

Vector2d curve_point(const Vector2d& a, const Vector2d& b, const Vector2d& c, const Vector2d& d, double t) {
  // Catmull-Rom: through b and c.
  return 0.5 *
         (2 * b + t * (c - a) + t * t * (2 * a - 5 * b + 4 * c - d) + t * t * t * (3 * b - a - 3 * c + d));
}

}  // namespace

std::vector<Vector2d> smooth_curve(const std::vector<Vector2d>& control) {
  std::vector<Vector2d> fine;
  for (std::size_t i = 0; i + 1 < control.size(); ++i) {
    const Vector2d& a = control[i == 0 ? 0 : i - 1];
    const Vector2d& d = control[std::min(i + 2, control.size() - 1)];
    for (int k = 0; k < 32; ++k) fine.push_back(curve_point(a, control[i], control[i + 1], d, k / 32.0));
  }
  fine.push_back(control.back());
  for (std::size_t i = 1; i < fine.size(); ++i) fine[i].x() = std::max(fine[i].x(), 1e-3);
  return fine;
}

std::vector<Vector2d> even_steps(const std::vector<Vector2d>& line, double step, int least) {
  double length = 0;
  for (std::size_t i = 1; i < line.size(); ++i) length += (line[i] - line[i - 1]).norm();
  const int count = std::max(least, static_cast<int>(std::round(length / step)));
  std::vector<Vector2d> out{line.front()};
  double walked = 0;
  std::size_t i = 1;
  for (int k = 1; k < count; ++k) {
    const double target = length * k / count;
    while (i + 1 < line.size() && walked + (line[i] - line[i - 1]).norm() < target)
      walked += (line[i] - line[i - 1]).norm(), ++i;
    const double piece = (line[i] - line[i - 1]).norm();
    out.push_back(line[i - 1] + (line[i] - line[i - 1]) * std::min(1.0, (target - walked) / piece));
  }
  out.push_back(line.back());
  return out;
}

std::vector<Vector2d> offset_inside(const std::vector<Vector2d>& outside, double thickness) {
  std::vector<Vector2d> inside;
  for (std::size_t i = 0; i < outside.size(); ++i) {
    const Vector2d along = outside[std::min(i + 1, outside.size() - 1)] - outside[i == 0 ? 0 : i - 1];
    const Vector2d inward = Vector2d(-along.y(), along.x()).normalized();
    Vector2d p = outside[i] + thickness * inward;
    const bool on_axis = i == 0 && outside[i].x() == 0;
    p.x() = on_axis ? 0.0 : p.x();
    // Inside a sharp bend the offset line runs back; points that come too near the outside are left out.
    double nearest = thickness;
    for (const Vector2d& q : outside) nearest = std::min(nearest, (q - p).norm());
    if (nearest > 0.98 * thickness && (on_axis || p.x() > 1e-3)) inside.push_back(p);
  }
  return inside;
}

TurnedForm draw_form(Shape shape, std::optional<double> wall_thickness, Random& random) {
  TurnedForm form;
  const auto r = [&](double low, double high) { return random.uniform(low, high); };
  double low = 0.02;
  double high = 0.07;
  switch (shape) {
    case Shape::bowl: {
      const double radius = 0.5;
      const double height = r(0.3, 0.5);
      const double foot = r(0.15, 0.25);
      form.outside = {{0, 0}, {foot, 0}, {radius * r(0.72, 0.82), height * r(0.3, 0.4)}, {radius, height}};
      break;
    }
    case Shape::plate: {
      const double height = r(0.05, 0.1);
      form.outside = {{0, 0}, {r(0.25, 0.32), 0}, {0.4, height * r(0.4, 0.6)}, {0.5, height}};
      low = 0.015;
      high = 0.05;
      break;
    }
    case Shape::vase: {
      const double belly = r(0.22, 0.34);
      const double neck = belly * r(0.35, 0.6);
      form.outside = {{0, 0},
                      {belly * r(0.5, 0.7), 0},
                      {belly, r(0.3, 0.45)},
                      {neck, r(0.72, 0.8)},
                      {neck * r(1.1, 1.6), 1}};
      break;
    }
    case Shape::mug: {
      const double radius = r(0.3, 0.38);
      form.outside = {{0, 0}, {radius * 0.9, 0}, {radius, 0.2}, {radius * r(0.97, 1.03), 0.6}, {radius, 0.9}};
      low = 0.03;
      break;
    }
    default: {  // bottle
      const double body = r(0.14, 0.2);
      const double neck = body * r(0.3, 0.4);
      const double shoulder = r(0.5, 0.62);
      form.outside = {{0, 0},
                      {body * 0.9, 0},
                      {body, 0.1},
                      {body, shoulder},
                      {neck * 1.2, shoulder + 0.16},
                      {neck, r(0.84, 0.88)},
                      {neck, 1}};
      high = 0.06;
      break;
    }
  }
  const double drawn = std::exp(r(std::log(low), std::log(high)));
  double extent = 0;
  for (const Vector2d& p : form.outside) extent = std::max({extent, 2 * p.x(), p.y()});
  form.thickness = wall_thickness.value_or(drawn) * extent;
  return form;
}

Section section_of(const TurnedForm& form, double step) {
  const std::vector<Vector2d> outside = smooth_curve(form.outside);
  std::vector<Vector2d> inside = offset_inside(outside, form.thickness);
  Section section;
  section.points = even_steps(outside, step, 2);
  section.rim = section.points.size();
  std::reverse(inside.begin(), inside.end());
  const std::vector<Vector2d> even = even_steps(inside, step, 2);
  section.points.insert(section.points.end(), even.begin(), even.end());
  return section;
}

}  // namespace pmtr
