// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/shapes.h"

#include <algorithm>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "pmtr/core/check.h"
#include "pmtr/core/random.h"
#include "pmtr/fracture/cut/triangle_crossing.h"
#include "pmtr/fracture/shapes/families.h"
#include "pmtr/fracture/shapes/shape_figure.h"
#include "pmtr/fracture/shapes/shape_profile.h"
#include "pmtr/fracture/shapes/shape_turned.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

using shapes::Family;
using shapes::Maker;

/// Centred, longest side 1, in single precision: what a file would hold.
void normalise(TriangleMesh& mesh) {
  const Eigen::AlignedBox3d box = bounding_box(mesh);
  const double scale = 1 / box.sizes().maxCoeff();
  for (Eigen::Vector3d& p : mesh.vertices) p = ((p - box.center()) * scale).cast<float>().cast<double>();
}

/// A little longer or shorter along every axis: no two are alike.
void stretch(TriangleMesh& mesh, Maker& maker) {
  Eigen::Array3d factor;
  for (double& f : factor) f = maker.r(0.88, 1.14);
  for (Eigen::Vector3d& p : mesh.vertices) p = (p.array() * factor).matrix();
}

template <Shape shape>
Result<TriangleMesh> turned(Maker& maker) {
  const TurnedForm form = draw_form(shape, maker.wall, maker.random);
  return shape == Shape::mug ? turn_with_handle(form, maker.around, maker.random)
                             : turn(form, maker.around, maker.random);
}

Result<TriangleMesh> figure(Maker& maker) { return make_figure(maker.around, maker.random); }

constexpr std::array first_families{
    Family{"bowl", "round, on a flat base", turned<Shape::bowl>},
    Family{"vase", "a belly, a neck and a lip", turned<Shape::vase>},
    Family{"plate", "round and flat", turned<Shape::plate>},
    Family{"mug", "a cup with a handle", turned<Shape::mug>},
    Family{"bottle", "a body with a narrow neck", turned<Shape::bottle>},
    Family{"blob", "a solid figure with a head and limbs", figure},
};

const std::vector<Family>& families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> list(first_families.begin(), first_families.end());
    for (const auto& more : {shapes::vessel_families(), shapes::block_families(), shapes::figure_families()})
      list.insert(list.end(), more.begin(), more.end());
    return list;
  }();
  return all;
}

const Family& family_of(Shape shape) {
  PMTR_CHECK(static_cast<std::size_t>(shape) < families().size(), "a shape of the table");
  return families()[static_cast<std::size_t>(shape)];
}

}  // namespace

const std::vector<Shape>& all_shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> list;
    for (std::size_t i = 0; i < families().size(); ++i) list.push_back(static_cast<Shape>(i));
    return list;
  }();
  return all;
}

const char* shape_name(Shape shape) { return family_of(shape).name; }
const char* shape_description(Shape shape) { return family_of(shape).what; }

std::optional<Shape> shape_of_name(std::string_view name) {
  for (const Shape shape : all_shapes()) {
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
  Maker maker{random, options.around, options.wall_thickness};
  const Family& family = family_of(shape);
  // Proportions that make a handle run into a wall are drawn again.
  constexpr int attempts = 10;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    PMTR_TRY(TriangleMesh mesh, family.make(maker));
    if (static_cast<std::size_t>(shape) < first_shapes.size()) {
      normalise(mesh);
      return mesh;
    }
    stretch(mesh, maker);
    normalise(mesh);
    if (!find_crossing(mesh.vertices, mesh.faces, mesh.faces)) return mesh;
  }
  return Error{
      Cause::degenerate, fmt::format("no clean {} was found for the seed {}", family.name, options.seed), {}};
}

}  // namespace pmtr
