// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/shapes.h"

#include <algorithm>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "pmtr/core/random.h"
#include "pmtr/fracture/shapes/shape_figure.h"
#include "pmtr/fracture/shapes/shape_profile.h"
#include "pmtr/fracture/shapes/shape_turned.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

/// Centred, longest side 1, in single precision: what a file would hold.
void normalise(TriangleMesh& mesh) {
  const Eigen::AlignedBox3d box = bounding_box(mesh);
  const double scale = 1 / box.sizes().maxCoeff();
  for (Eigen::Vector3d& p : mesh.vertices) p = ((p - box.center()) * scale).cast<float>().cast<double>();
}

}  // namespace

const char* shape_name(Shape shape) {
  switch (shape) {
    case Shape::bowl:
      return "bowl";
    case Shape::vase:
      return "vase";
    case Shape::plate:
      return "plate";
    case Shape::mug:
      return "mug";
    case Shape::bottle:
      return "bottle";
    case Shape::blob:
      return "blob";
  }
  return "";
}

std::optional<Shape> shape_of_name(std::string_view name) {
  for (const Shape shape : all_shapes) {
    if (name == shape_name(shape)) return shape;
  }
  return std::nullopt;
}

Status ShapeOptions::validate() const {
  if (wall_thickness && !(*wall_thickness >= 0.005 && *wall_thickness <= 0.1)) {
    return invalid_option(
        fmt::format("walls of {} of the object are not from 0.005 to 0.1", *wall_thickness));
  }
  if (around < 16 || around > 1024)
    return invalid_option(fmt::format("{} vertices around are not from 16 to 1024", around));
  return {};
}

Result<TriangleMesh> make_shape(Shape shape, const ShapeOptions& options) {
  PMTR_TRY_STATUS(options.validate());
  Random random(options.seed, static_cast<std::uint64_t>(shape));
  TriangleMesh mesh;
  if (shape == Shape::blob) {
    mesh = make_figure(options.around, random);
  } else {
    const TurnedForm form = draw_form(shape, options.wall_thickness, random);
    mesh = shape == Shape::mug ? turn_with_handle(form, options.around, random)
                               : turn(form, options.around, random);
  }
  normalise(mesh);
  return mesh;
}

}  // namespace pmtr
