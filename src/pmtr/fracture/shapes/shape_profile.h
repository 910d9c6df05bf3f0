// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/random.h"
#include "pmtr/fracture/shapes/shapes.h"

namespace pmtr {

/// The half section of a turned object: radius and height along its outside, from the axis at the bottom to
/// the rim, and the thickness of its wall.
struct TurnedForm {
  std::vector<Eigen::Vector2d> outside;  ///< control points of a smooth curve; the first is on the axis
  double thickness = 0.03;               ///< in the units of the points
};

/// Proportions of a bowl, vase, plate, mug or bottle.
TurnedForm draw_form(Shape shape, std::optional<double> wall_thickness, Random& random);

/// The whole section as a line from the axis outside at the bottom, over the rim, to the axis inside. Its
/// points are about `step` apart.
struct Section {
  std::vector<Eigen::Vector2d> points;
  std::size_t rim = 0;  ///< points before this one are outside
};
Section section_of(const TurnedForm& form, double step);

/// A smooth line through the points, which are radius and height.
std::vector<Eigen::Vector2d> smooth_curve(const std::vector<Eigen::Vector2d>& control);

/// The same line by points about `step` apart; it has at least this many steps.
std::vector<Eigen::Vector2d> even_steps(const std::vector<Eigen::Vector2d>& line, double step, int least);

/// The inner side of a wall of this thickness, in the direction of the outside: upwards.
std::vector<Eigen::Vector2d> offset_inside(const std::vector<Eigen::Vector2d>& outside, double thickness);

}  // namespace pmtr
