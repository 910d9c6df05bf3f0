// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "pmtr/core/random.h"
#include "pmtr/sample/sample_surface.h"

namespace pmtr {
namespace {

TriangleMesh tetrahedron() {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.faces = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  return mesh;
}

TEST(SampleSurface, PointsLieOnTheirFaces) {
  const TriangleMesh mesh = tetrahedron();
  const auto sampled = sample_surface(mesh, 700, 1.0, Random(3));
  ASSERT_TRUE(sampled.ok());
  ASSERT_EQ(sampled->cloud.points.size(), 700U);
  ASSERT_EQ(sampled->faces.size(), 700U);
  std::array<int, 4> per_face{};
  for (std::size_t i = 0; i < 700; ++i) {
    const auto& face = mesh.faces.at(sampled->faces[i]);
    const Eigen::Vector3d a = mesh.vertices[face[0]];
    const Eigen::Vector3d normal =
        (mesh.vertices[face[1]] - a).cross(mesh.vertices[face[2]] - a).normalized();
    EXPECT_NEAR(normal.dot(sampled->cloud.points[i].cast<double>() + sampled->centre - a), 0.0, 1e-6);
    EXPECT_NEAR(normal.dot(sampled->cloud.normals[i].cast<double>()), 1.0, 1e-6);
    ++per_face[sampled->faces[i]];
  }
  // By area: three of 1/2, one of sqrt(3)/2.
  EXPECT_NEAR(per_face[3], 700 * 0.366, 20);
}

TEST(SampleSurface, is_centred_and_in_the_unit_asked_for) {
  const auto one = sample_surface(tetrahedron(), 300, 1.0, Random(9));
  const auto four = sample_surface(tetrahedron(), 300, 4.0, Random(9));
  ASSERT_TRUE(one.ok() && four.ok());
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < 300; ++i) {
    mean += one->cloud.points[i].cast<double>() / 300;
    EXPECT_LT((one->cloud.points[i] - 4.0F * four->cloud.points[i]).norm(), 1e-6F);
  }
  EXPECT_LT(mean.norm(), 1e-7);
  EXPECT_NEAR(one->area, 1.5 + std::sqrt(3.0) / 2, 1e-12);
  EXPECT_NEAR(four->area, one->area / 16, 1e-12);
}

// Scans in survey coordinates: single precision there has steps of half a metre.
TEST(SampleSurface, far_from_the_origin_loses_nothing) {
  const Eigen::Vector3d place(4e6, 5e6, 200.0);
  TriangleMesh near = tetrahedron();
  for (Eigen::Vector3d& v : near.vertices) v *= 0.3;
  TriangleMesh far = near;
  for (Eigen::Vector3d& v : far.vertices) v += place;
  const auto here = sample_surface(near, 500, 0.3, Random(2));
  const auto there = sample_surface(far, 500, 0.3, Random(2));
  ASSERT_TRUE(here.ok() && there.ok());
  EXPECT_LT((there->centre - here->centre - place).norm(), 1e-8);
  for (std::size_t i = 0; i < 500; ++i)
    EXPECT_LT((here->cloud.points[i] - there->cloud.points[i]).norm(), 1e-6F);
}

TEST(SampleSurface, RefusesCountsOutOfRange) {
  EXPECT_EQ(sample_surface(tetrahedron(), 0, 1.0, Random(0)).error().cause, Cause::invalid_option);
  EXPECT_EQ(sample_surface({}, 10, 1.0, Random(0)).error().cause, Cause::empty);
}

}  // namespace
}  // namespace pmtr
