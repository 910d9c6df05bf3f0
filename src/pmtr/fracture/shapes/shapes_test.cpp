// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/shapes.h"

#include <gtest/gtest.h>

#include "pmtr/fracture/cut/triangle_crossing.h"
#include "pmtr/fracture/fracture_test_support.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

TEST(Shapes, ClosedManifoldFreeOfCrossingsAndOfUnitSize) {
  for (const Shape shape : all_shapes) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      ShapeOptions options;
      options.seed = seed;
      options.around = 48;
      const auto mesh = make_shape(shape, options);
      ASSERT_TRUE(mesh.ok());
      SCOPED_TRACE(shape_name(shape) + std::to_string(seed));
      ASSERT_TRUE(check_mesh(*mesh).ok());
      const auto edges = test::count_edges(*mesh);
      EXPECT_EQ(edges.open, 0u);
      EXPECT_EQ(edges.non_manifold, 0u);
      EXPECT_GT(enclosed_volume(*mesh), 0.002);
      const auto crossing = find_crossing(mesh->vertices, mesh->faces, mesh->faces);
      EXPECT_FALSE(crossing.has_value());
      Eigen::AlignedBox3d box;
      for (const auto& p : mesh->vertices) box.extend(p);
      EXPECT_NEAR(box.sizes().maxCoeff(), 1, 1e-6);
      // V - E + F = 2 - 2 g: only the mug has a hole through it.
      const auto euler = static_cast<int>(mesh->vertices.size()) - static_cast<int>(mesh->faces.size()) / 2;
      if (shape != Shape::blob) {
        EXPECT_EQ(euler, shape == Shape::mug ? 0 : 2);
      }
    }
  }
}

TEST(Shapes, ThinWallsAreThin) {
  ShapeOptions thin;
  thin.wall_thickness = 0.01;
  ShapeOptions thick;
  thick.wall_thickness = 0.04;
  for (const Shape shape : {Shape::bowl, Shape::vase, Shape::plate, Shape::bottle}) {
    const double a = enclosed_volume(*make_shape(shape, thin));
    const double b = enclosed_volume(*make_shape(shape, thick));
    EXPECT_GT(b / a, 2.5) << shape_name(shape);
    EXPECT_LT(b / a, 4.5) << shape_name(shape);
  }
}

ShapeOptions with_seed(std::uint64_t seed) {
  ShapeOptions options;
  options.seed = seed;
  return options;
}

TEST(Shapes, TheSeedDecides) {
  const auto one = make_shape(Shape::vase, with_seed(1));
  const auto again = make_shape(Shape::vase, with_seed(1));
  const auto two = make_shape(Shape::vase, with_seed(2));
  EXPECT_EQ(one->vertices, again->vertices);
  EXPECT_NE(one->vertices, two->vertices);
}

TEST(Shapes, BadOptionsAreRefused) {
  ShapeOptions few;
  few.around = 3;
  ShapeOptions thick;
  thick.wall_thickness = 0.5;
  EXPECT_EQ(make_shape(Shape::bowl, few).error().cause, Cause::invalid_option);
  EXPECT_EQ(make_shape(Shape::bowl, thick).error().cause, Cause::invalid_option);
  EXPECT_FALSE(shape_of_name("teapot").has_value());
  EXPECT_EQ(shape_of_name("mug"), Shape::mug);
}

}  // namespace
}  // namespace pmtr
