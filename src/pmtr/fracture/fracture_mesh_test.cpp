// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/fracture_mesh.h"

#include <gtest/gtest.h>

#include "pmtr/fracture/broken_test_objects.h"
#include "pmtr/fracture/fracture_properties_test_support.h"
#include "pmtr/fracture/shapes/shapes.h"

namespace pmtr {
namespace {

TriangleMesh shape(Shape which, std::uint64_t seed, std::optional<double> wall = {}) {
  ShapeOptions options;
  options.seed = seed;
  options.around = 40;
  options.wall_thickness = wall;
  return *make_shape(which, options);
}

class FractureOf : public ::testing::TestWithParam<int> {};

TEST_P(FractureOf,
       SomeShapesHasAllRequiredProperties) {  // all twenty: tests/data/fracture_shapes_slow_test.cpp
  for (const std::size_t i : {0U, 7U, 11U, 15U, 19U}) {
    FractureOptions options;
    options.pieces = GetParam();
    options.seed = i;
    const TriangleMesh whole = test::object_to_break(i);
    const auto object = fracture_mesh(whole, options);
    ASSERT_TRUE(object.ok()) << i << ": " << object.error().text();
    SCOPED_TRACE("shape " + std::to_string(i));
    test::expect_whole_fracture(whole, *object, options);
    if (i == 7) test::expect_same(*object, *fracture_mesh(whole, options));
  }
}

INSTANTIATE_TEST_SUITE_P(Pieces, FractureOf, ::testing::Values(2, 4, 8, 20, 50));

TEST(FractureMesh, AHundredPieces) {
  FractureOptions options;
  options.pieces = 100;
  const TriangleMesh whole = shape(Shape::blob, 3);
  const auto object = fracture_mesh(whole, options);
  ASSERT_TRUE(object.ok()) << object.error().text();
  test::expect_whole_fracture(whole, *object, options);
}

TEST(FractureMesh, SmoothAndSplintery) {
  const TriangleMesh whole = shape(Shape::blob, 1);
  FractureOptions options;
  options.pieces = 5;
  for (const double splinter : {0.0, 0.5, 1.0}) {
    for (const double amplitude : {0.0, 0.1}) {
      options.roughness.splinter = splinter;
      options.roughness.amplitude = amplitude;
      const auto object = fracture_mesh(whole, options);
      ASSERT_TRUE(object.ok()) << object.error().text();
      test::expect_whole_fracture(whole, *object, options);
    }
  }
}

TEST(FractureMesh, ALargerShareIsKept) {
  FractureOptions options;
  options.pieces = 4;
  options.min_volume_share = 0.15;
  const TriangleMesh whole = shape(Shape::vase, 2);
  const auto object = fracture_mesh(whole, options);
  ASSERT_TRUE(object.ok()) << object.error().text();
  test::expect_whole_fracture(whole, *object, options);
}

TEST(FractureMesh, ColoursAndUvsStayWhereTheyWere) {
  TriangleMesh whole = shape(Shape::bowl, 4);
  // Colour and UV are linear in the position, so that they are known everywhere.
  const auto linear = [](const Eigen::Vector3d& p) {
    return Eigen::Vector3f(Eigen::Vector3f::Constant(0.5F) + 0.4F * p.cast<float>());
  };
  for (const auto& p : whole.vertices) {
    whole.colours.emplace_back(linear(p).x(), linear(p).y(), linear(p).z(), 1.0F);
    whole.uvs.emplace_back(linear(p).head<2>());
  }
  whole.face_uvs = whole.faces;
  whole.materials = {{"glaze", Eigen::Vector4f::Ones(), -1}};
  whole.face_materials.assign(whole.faces.size(), 0);
  FractureOptions options;
  options.pieces = 6;
  const auto object = fracture_mesh(whole, options);
  ASSERT_TRUE(object.ok()) << object.error().text();
  std::size_t outer = 0;
  std::size_t broken = 0;
  for (const FracturePiece& piece : object->pieces) {
    const TriangleMesh& mesh = piece.mesh;
    ASSERT_TRUE(check_mesh(mesh).ok());
    for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
      if (mesh.face_materials[f] != 0) {
        EXPECT_EQ(mesh.materials[static_cast<std::size_t>(mesh.face_materials[f])].name, "fracture");
        ++broken;
        continue;
      }
      ++outer;
      for (std::size_t i = 0; i < 3; ++i) {
        const Eigen::Vector3f expected = linear(mesh.vertices[mesh.faces[f][i]]);
        EXPECT_LT((mesh.uvs[mesh.face_uvs[f][i]] - expected.head<2>()).norm(), 1e-5);
        EXPECT_LT((mesh.colours[mesh.faces[f][i]].head<3>() - expected).norm(), 1e-5);
      }
    }
  }
  EXPECT_GE(outer, whole.faces.size());
  EXPECT_GT(broken, 100u);
}

TEST(FractureMesh, WornPiecesStayClosedAndShrink) {
  const TriangleMesh whole = shape(Shape::vase, 5);
  FractureOptions options;
  options.pieces = 5;
  const auto fresh = fracture_mesh(whole, options);
  options.wear.distance = 0.01;
  const auto worn = fracture_mesh(whole, options);
  ASSERT_TRUE(fresh.ok() && worn.ok());
  EXPECT_TRUE(fresh->exact);
  EXPECT_FALSE(worn->exact);
  std::size_t smaller = 0;
  for (std::size_t p = 0; p < 5; ++p) {
    const TriangleMesh& mesh = worn->pieces[p].mesh;
    EXPECT_EQ(test::count_edges(mesh).open, 0u);
    EXPECT_FALSE(find_crossing(mesh.vertices, mesh.faces, mesh.faces).has_value());
    EXPECT_LT(worn->pieces[p].volume, fresh->pieces[p].volume);
    smaller += worn->pieces[p].volume < 0.998 * fresh->pieces[p].volume ? 1 : 0;
  }
  EXPECT_EQ(smaller, 5u);
}

TEST(FractureMesh, MissingAndForeignPieces) {
  FractureOptions options;
  options.pieces = 6;
  options.missing = 2;
  auto object = fracture_mesh(shape(Shape::plate, 1), options);
  ASSERT_TRUE(object.ok());
  const auto missing = [&] {
    return std::count_if(object->pieces.begin(), object->pieces.end(),
                         [](const auto& p) { return p.missing; });
  };
  EXPECT_EQ(missing(), 2);
  options.missing = 0;
  const auto other = fracture_mesh(shape(Shape::mug, 1), options);
  ASSERT_TRUE(other.ok());
  add_foreign_piece(*object, *other, 3);
  ASSERT_EQ(object->pieces.size(), 7u);
  EXPECT_TRUE(object->pieces.back().foreign);
  EXPECT_EQ(missing(), 2);
  options.missing = 6;
  EXPECT_EQ(fracture_mesh(shape(Shape::plate, 1), options).error().cause, Cause::invalid_option);
}

}  // namespace
}  // namespace pmtr
