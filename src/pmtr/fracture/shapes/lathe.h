// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/random.h"
#include "pmtr/fracture/shapes/families.h"
#include "pmtr/mesh/triangle_mesh.h"

/// Objects that a section describes: carried around the axis along any outline (round, square, star), with
/// walls, handles and a spout, then bent, twisted or pressed. Edges are sharp where lines have corners.
namespace pmtr::lathe {

using Line = std::vector<Eigen::Vector2d>;  ///< radius and height, or x and y of an outline
using Warp = std::function<Eigen::Vector3d(const Eigen::Vector3d&)>;

struct Handle {
  double top = 0, bottom = 0;  ///< heights
  double reach = 0;            ///< how far it stands off
  double thickness = 0;
  bool opposite = false;  ///< on the other side of the object
};

struct Spout {
  double height = 0;  ///< where it begins; it is on the opposite side
  double reach = 0, rise = 0;
  double thickness = 0;
};

struct Lathe {
  Line section;         ///< from the axis outside at the bottom to the axis again; see solid(), cup()
  bool closed = false;  ///< the section is a loop away from the axis instead; see pipe()
  Line outline;         ///< counter-clockwise, seen whole from the origin; empty: a circle of radius 1
  std::function<double(double)> roundness;  ///< by height: 0 the outline, 1 a circle; may be empty
  std::vector<Handle> handles;              ///< for round ones
  std::optional<Spout> spout;
  double uneven = 0;  ///< 1: as thrown by hand
  std::vector<Warp> warps;
};

/// `step` is the length of edges. Uneven ones draw how.
TriangleMesh make(const Lathe& lathe, double step, Random& random);

// Sections. An outside goes from the axis, or from the lower rim of a pipe, up to the rim.
Line curve(const Line& points);  ///< smooth through the points
Line operator+(Line first, const Line& next);
/// Filled: closes at the axis at the height of its last point.
Line solid(Line outside);
/// With a wall that is `thickness` thick, above `floor`; below that height it is filled.
Line cup(const Line& outside, double thickness, double floor);
/// A wall without a floor; needs Lathe::closed.
Line pipe(const Line& outside, double thickness);

// Outlines, about as large as the circle of radius 1.
Line polygon(int sides);
Line rectangle(double half_x, double half_y);
Line star(int points, double inner);
Line gear(int teeth, double inner);
Line plus(double arm);
Line flutes(int count, double depth);
Line squarish(double power);  ///< 2: a circle, more: nearly a square

// Warps.
Warp scale(double x, double y, double z);
Warp flip();               ///< upside down
Warp bend(double radius);  ///< the z axis to a circle in the xz plane
Warp lie();                ///< what points along x stands up
Warp twist(double per_height);
Warp lean(double x_per_height);
/// Shifts along z by a function of x and y, as a sheet is pressed into a mould.
Warp press(std::function<double(double, double)> height);

}  // namespace pmtr::lathe

namespace pmtr::shapes {

inline Result<TriangleMesh> turn(Maker& m, const lathe::Lathe& form) {
  return lathe::make(form, m.step(), m.random);
}

}  // namespace pmtr::shapes
