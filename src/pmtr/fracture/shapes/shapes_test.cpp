// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/shapes.h"

#include <bit>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "pmtr/fracture/cut/triangle_crossing.h"
#include "pmtr/fracture/fracture_mesh.h"
#include "pmtr/fracture/fracture_test_support.h"
#include "pmtr/mesh/measures.h"
#include "support/repeats.h"

namespace pmtr {
namespace {

TEST(Shapes, TheFirstSixAreClosedManifoldFreeOfCrossingsAndOfUnitSize) {
  for (const Shape shape : first_shapes) {
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

/// FNV-1a over the bits of vertices and faces.
class Digest {
 public:
  void add(const TriangleMesh& mesh) {
    for (const Eigen::Vector3d& v : mesh.vertices)
      for (const double x : v) mix(std::bit_cast<std::uint64_t>(x));
    for (const auto& face : mesh.faces)
      for (const std::uint32_t i : face) mix(i);
  }
  std::uint64_t value() const { return value_; }

 private:
  void mix(std::uint64_t word) { value_ = (value_ ^ word) * 1099511628211ULL; }
  std::uint64_t value_ = 14695981039346656037ULL;
};

TEST(Shapes, TheFirstSixKeepTheirBits) {
  const std::array<std::uint64_t, 6> known{0x56143c0cbe66e17d, 0x9a2d2efca549631d, 0x8bde0b35dd5e5dfd,
                                           0xfb4308085062edc5, 0x2370839992a6389d, 0x212055d99ccff98c};
  for (std::size_t i = 0; i < known.size(); ++i) {
    Digest digest;
    for (int seed = 0; seed < 3; ++seed) {
      ShapeOptions options;
      options.seed = static_cast<std::uint64_t>(seed);
      options.around = 40 + 8 * seed;
      if (seed == 2 && first_shapes[i] != Shape::blob) options.wall_thickness = 0.02;
      digest.add(*make_shape(first_shapes[i], options));
    }
    EXPECT_EQ(digest.value(), known[i]) << shape_name(first_shapes[i]);
  }
}

/// Connected along faces.
std::size_t component_count(const TriangleMesh& mesh) {
  std::vector<std::uint32_t> root(mesh.vertices.size());
  std::iota(root.begin(), root.end(), 0U);
  const auto find = [&](std::uint32_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (const auto& face : mesh.faces) {
    root[find(face[1])] = find(face[0]);
    root[find(face[2])] = find(face[0]);
  }
  std::set<std::uint32_t> roots;
  for (std::uint32_t v = 0; v < root.size(); ++v) roots.insert(find(v));
  return roots.size();
}

class EveryFamily : public ::testing::TestWithParam<int> {};

TEST_P(EveryFamily, IsWholeAndBreaks) {
  for (const Shape shape : all_shapes()) {
    SCOPED_TRACE(shape_name(shape));
    ShapeOptions options;
    options.seed = static_cast<std::uint64_t>(GetParam());
    options.around = 40;
    const auto mesh = make_shape(shape, options);
    ASSERT_TRUE(mesh.ok()) << mesh.error().text();
    ASSERT_TRUE(check_mesh(*mesh).ok());
    const auto edges = test::count_edges(*mesh);
    EXPECT_EQ(edges.open, 0u);
    EXPECT_EQ(edges.non_manifold, 0u);
    EXPECT_EQ(component_count(*mesh), 1u);
    EXPECT_GT(enclosed_volume(*mesh), 0.002);
    EXPECT_FALSE(find_crossing(mesh->vertices, mesh->faces, mesh->faces).has_value());
    const Eigen::AlignedBox3d box = bounding_box(*mesh);
    EXPECT_NEAR(box.sizes().maxCoeff(), 1, 1e-6);
    EXPECT_LT(box.center().norm(), 1e-6);
    FractureOptions fracture;
    fracture.pieces = 6;
    fracture.detail = 0.03;
    const auto object = fracture_mesh(*mesh, fracture);
    ASSERT_TRUE(object.ok()) << object.error().text();
    EXPECT_EQ(object->pieces.size(), 6u);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, EveryFamily, ::testing::Range(0, test::repeats(3)));

TEST(Shapes, FamiliesHaveNamesOfTheirOwn) {
  EXPECT_GE(all_shapes().size(), 46u);
  std::set<std::string_view> names;
  for (const Shape shape : all_shapes()) {
    EXPECT_TRUE(names.insert(shape_name(shape)).second) << shape_name(shape);
    EXPECT_EQ(shape_of_name(shape_name(shape)), shape);
    EXPECT_FALSE(std::string_view(shape_description(shape)).empty());
  }
}

TEST(Shapes, AroundScalesTheTriangles) {
  for (const char* name : {"jar", "brick", "animal"}) {
    ShapeOptions options;
    const std::size_t fine = make_shape(*shape_of_name(name), options)->faces.size();
    options.around = 48;
    const std::size_t coarse = make_shape(*shape_of_name(name), options)->faces.size();
    EXPECT_GT(fine, 3000u) << name;
    EXPECT_LT(fine, 30000u) << name;
    EXPECT_NEAR(static_cast<double>(fine) / static_cast<double>(coarse), 4.0, 1.2) << name;
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
  EXPECT_FALSE(shape_of_name("spaceship").has_value());
  EXPECT_EQ(shape_of_name("mug"), Shape::mug);
}

}  // namespace
}  // namespace pmtr
