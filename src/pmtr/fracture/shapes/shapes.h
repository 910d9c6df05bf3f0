// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// Objects of our own to break: closed, one connected surface, z up, centred, longest side 1. A shape is a
/// family with proportions that are drawn. The value is its place in the table of families; only the first
/// have names here.
enum class Shape : std::uint8_t { bowl, vase, plate, mug, bottle, blob };

/// The shapes that measured figures of earlier versions are of.
inline constexpr std::array<Shape, 6> first_shapes{Shape::bowl, Shape::vase,   Shape::plate,
                                                   Shape::mug,  Shape::bottle, Shape::blob};

/// In the order of the table. A new family is added at its end: the place is a part of the seed.
const std::vector<Shape>& all_shapes();
const char* shape_name(Shape shape);
const char* shape_description(Shape shape);  ///< a few words
std::optional<Shape> shape_of_name(std::string_view name);

struct ShapeOptions {
  std::uint64_t seed = 0;  ///< draws proportions, thickness and unevenness
  /// Over the longest side, 0.005 to 0.1; none: drawn. For vessels; solids have none.
  std::optional<double> wall_thickness;
  /// Vertices around the object; triangles grow with its square. 16 to 1024.
  int around = 96;

  Status validate() const;
};

/// An error where the options are wrong, or where no clean surface was found: rare, another seed helps.
Result<TriangleMesh> make_shape(Shape shape, const ShapeOptions& options);

}  // namespace pmtr
