// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// Objects of our own to break: closed, with walls, z up, centred, longest side 1.
enum class Shape { bowl, vase, plate, mug, bottle, blob };

inline constexpr std::array<Shape, 6> all_shapes{Shape::bowl, Shape::vase,   Shape::plate,
                                                 Shape::mug,  Shape::bottle, Shape::blob};

const char* shape_name(Shape shape);
std::optional<Shape> shape_of_name(std::string_view name);

struct ShapeOptions {
  std::uint64_t seed = 0;                ///< draws proportions, thickness and unevenness
  std::optional<double> wall_thickness;  ///< over the longest side, 0.005 to 0.1; none: drawn. Not for blobs.
  /// Vertices around the object; triangles grow with its square. 16 to 1024.
  int around = 96;

  Status validate() const;
};

/// Bowl, vase, plate and bottle are turned; the mug has a handle with a hole; a blob is a solid figure with a
/// head and limbs.
Result<TriangleMesh> make_shape(Shape shape, const ShapeOptions& options);

}  // namespace pmtr
