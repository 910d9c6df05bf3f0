// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/random.h"

/// Solids as distances: negative inside, positive outside, never growing faster than the way that is gone
/// (but for ellipsoids and warps, a little). Built from a few forms and ways to put them together.
namespace pmtr::field {

using Field = std::function<double(const Eigen::Vector3d&)>;

/// A rod with round ends; its radius changes along the way.
Field capsule(const Eigen::Vector3d& a, const Eigen::Vector3d& b, double radius_a, double radius_b);
/// Rods along a line of points, flowing into each other.
Field chain(const std::vector<Eigen::Vector3d>& points, const std::vector<double>& radii);
Field ellipsoid(const Eigen::Vector3d& centre, const Eigen::Vector3d& radii);
/// Edges are rounded by this radius; the outer size stays.
Field box(const Eigen::Vector3d& centre, const Eigen::Vector3d& half, double rounding = 0);
/// About the z axis.
Field torus(const Eigen::Vector3d& centre, double radius, double thickness);
Field cylinder(const Eigen::Vector3d& centre, double radius, double half_height, double rounding = 0);
/// A simple polygon in x and y, between z = -half_height and half_height.
Field prism(std::vector<Eigen::Vector2d> outline, double half_height, double rounding = 0);

/// Everything that is in any of them; seams are filled up to the width `blend`, 0 leaves them sharp.
Field join(std::vector<Field> parts, double blend = 0);
/// The first without the second.
Field without(Field whole, Field hole, double blend = 0);
Field common(Field a, Field b, double blend = 0);
/// A wall of this thickness below the surface; what is inside is empty.
Field shell(Field solid, double thickness);

Field moved(Field part, const Eigen::Vector3d& by);
/// Turned about an axis through the origin, by radians.
Field turned(Field part, const Eigen::Vector3d& axis, double angle);
/// What is at x > 0, on both sides.
Field mirrored(Field half);
/// Rounded bumps of about this height and length, drawn at random.
Field bumpy(Field part, double height, double length, Random& random);

}  // namespace pmtr::field
