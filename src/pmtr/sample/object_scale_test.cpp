// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/object_scale.h"

#include <limits>

#include <gmock/gmock.h>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

// The corners of a box, without faces, turned and moved.
TriangleMesh corners(const Eigen::Vector3d& size, Random& random) {
  TriangleMesh mesh;
  const Eigen::Matrix3d rotation = random.rotation();
  const Eigen::Vector3d offset(random.normal(), random.normal(), random.normal());
  for (int i = 0; i < 8; ++i) {
    const Eigen::Vector3d unit(i & 1, i >> 1 & 1, i >> 2);
    mesh.vertices.emplace_back(rotation * unit.cwiseProduct(size) + offset);
  }
  return mesh;
}

double estimate(const std::vector<TriangleMesh>& fragments) {
  const auto size = estimate_object_size(pointers_to(fragments));
  EXPECT_TRUE(size.ok()) << size.error().text();
  return size.ok() ? *size : 0.0;
}

Cause scale_cause(const std::vector<TriangleMesh>& fragments) {
  const auto size = estimate_object_size(pointers_to(fragments));
  EXPECT_FALSE(size.ok());
  return size.error().cause;
}

TEST(EstimateObjectSize, of_one_fragment_follows_its_diameter) {
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    EXPECT_NEAR(estimate({corners({3.0, 4.0, 12.0}, random)}), object_size_factor * 13.0, 1e-9);
  }
}

TEST(EstimateObjectSize, grows_with_the_unit_and_with_fragments) {
  Random random(2);
  const auto a = corners({1.0, 0.5, 0.2}, random);
  const auto b = corners({0.4, 0.4, 0.2}, random);
  const double together = estimate({a, b});
  EXPECT_GT(together, estimate({a}));
  EXPECT_DOUBLE_EQ(together, estimate({b, a}));
  auto larger = std::vector{a, b};
  for (auto& mesh : larger) {
    for (auto& p : mesh.vertices) p *= 1e6;
  }
  EXPECT_NEAR(estimate(larger) / together, 1e6, 1e-3);
}

TEST(EstimateObjectSize, ignores_vertices_that_no_face_uses) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {99, 99, 99}};
  mesh.faces = {{0, 1, 2}};
  EXPECT_NEAR(estimate({mesh}), object_size_factor * std::sqrt(2.0), 1e-9);
}

TEST(UnitForFragments, is_the_size_of_the_object_unless_its_fragments_are_many) {
  const std::vector<double> few = {0.8, 0.7, 0.05};
  EXPECT_EQ(unit_for_fragments(1.0, few, 2.0), 1.0);
  const std::vector<double> many(100, 0.1);
  EXPECT_NEAR(unit_for_fragments(1.0, many, 2.0), 0.2, 1e-12);
  EXPECT_EQ(unit_for_fragments(1.0, many, 0.0), 1.0);
  // Splinters hardly count, and the input's unit does not.
  std::vector<double> with_splinters = many;
  with_splinters.insert(with_splinters.end(), 50, 0.005);
  EXPECT_NEAR(unit_for_fragments(1.0, with_splinters, 2.0), 0.2, 1e-3);
  std::vector<double> larger = many;
  for (double& d : larger) d *= 1e200;
  EXPECT_NEAR(unit_for_fragments(1e200, larger, 2.0) / 1e200, 0.2, 1e-12);
  EXPECT_EQ(unit_for_fragments(3.0, {}, 2.0), 3.0);
}

TEST(EstimateObjectSize, of_mixed_objects_is_that_of_one) {
  const std::vector<double> one = {3.0, 2.0, 0.5};
  std::vector<double> three;
  for (int i = 0; i < 3; ++i) three.insert(three.end(), one.begin(), one.end());
  EXPECT_NEAR(*object_size_of(three, 3), *object_size_of(one, 1), 1e-12);
  EXPECT_GT(*object_size_of(three, 1), 1.2 * *object_size_of(one, 1));
  EXPECT_FALSE(object_size_of({}, 1).ok());
}

TEST(EstimateObjectSize, refuses_bad_input) {
  TriangleMesh point;
  point.vertices = {{1, 1, 1}};
  TriangleMesh broken = point;
  broken.vertices[0].x() = std::numeric_limits<double>::infinity();
  TriangleMesh dangling = point;
  dangling.faces = {{0, 1, 2}};
  EXPECT_EQ(scale_cause({}), Cause::empty);
  EXPECT_EQ(scale_cause({TriangleMesh{}}), Cause::empty);
  EXPECT_EQ(scale_cause({point, point}), Cause::degenerate);
  EXPECT_EQ(scale_cause({broken}), Cause::not_finite);
  EXPECT_EQ(scale_cause({dangling}), Cause::malformed);
}

TEST(EstimateObjectSize, is_the_same_from_diameters) {
  TriangleMesh a;
  a.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  TriangleMesh b;
  b.vertices = {{5, 0, 0}, {5, 3, 0}};
  std::vector<double> diameters;
  for (const TriangleMesh& mesh : {a, b}) {
    const auto found = fragment_diameter(mesh);
    ASSERT_TRUE(found.ok()) << found.error().text();
    diameters.push_back(*found);
  }
  EXPECT_NEAR(diameters[0], std::sqrt(2.0), 1e-12);
  const auto size = object_size_of(diameters);
  ASSERT_TRUE(size.ok()) << size.error().text();
  EXPECT_EQ(*size, estimate({a, b}));
  EXPECT_FALSE(fragment_diameter(TriangleMesh{}).ok());
}

}  // namespace
}  // namespace pmtr
