// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/shape_turned.h"

#include <algorithm>
#include <cmath>

#include "pmtr/core/check.h"
#include "pmtr/fracture/shapes/turned_grid.h"

namespace pmtr {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

double angle_of(std::size_t k, std::size_t around) {
  return 2 * M_PI * static_cast<double>(k) / static_cast<double>(around);
}

TurnedGrid grid_of(const Section& section, int columns, Random& random) {
  const double oval = random.uniform(0, 0.03);
  const double wave = random.uniform(0, 0.01);
  const double phase = random.uniform(0, 2 * M_PI);
  const auto around = static_cast<std::size_t>(columns);
  return {section.points, around, false, [=](const Vector2d& p, std::size_t k) {
            const double angle = angle_of(k, around);
            // The same factor inside and outside: walls keep their thickness.
            const double uneven =
                1 + oval * std::cos(2 * angle + phase) + wave * std::sin(3 * angle + 9 * p.y() + phase);
            return Vector3d(p.x() * uneven * std::cos(angle), p.x() * uneven * std::sin(angle), p.y());
          }};
}

double step_of(const TurnedForm& form, int around) {
  double radius = 0;
  for (const Vector2d& p : form.outside) radius = std::max(radius, p.x());
  return 2 * M_PI * radius / around;
}

}  // namespace

TriangleMesh turn(const TurnedForm& form, int around, Random& random) {
  const Section section = section_of(form, step_of(form, around));
  TurnedGrid grid = grid_of(section, around, random);
  grid.add_patches({});
  return std::move(grid.mesh());
}

TriangleMesh turn_with_handle(const TurnedForm& form, int around, Random& random) {
  const Section section = section_of(form, step_of(form, around));
  TurnedGrid grid = grid_of(section, around, random);
  const double height = form.outside.back().y();
  const double top = height * random.uniform(0.72, 0.8);
  const double bottom = height * random.uniform(0.25, 0.33);
  const auto row_at = [&](double z) {
    std::size_t row = 1;
    while (row + 1 < section.rim && section.points[row].y() < z) ++row;
    return row;
  };
  const std::size_t thick = std::max<std::size_t>(2, grid.around() / 32);
  const TurnedGrid::Opening upper{row_at(top), 0, thick, thick + 1};
  const TurnedGrid::Opening lower{row_at(bottom), 0, thick, thick + 1};
  PMTR_CHECK(lower.row + thick + 2 < upper.row && upper.row + thick + 1 < section.rim,
             "no place for a handle");
  grid.add_patches({upper, lower});
  grid.add_handle(upper, lower, 0, angle_of(upper.width, grid.around()), random.uniform(0.16, 0.24), 24, 0);
  return grid.take();
}

}  // namespace pmtr
