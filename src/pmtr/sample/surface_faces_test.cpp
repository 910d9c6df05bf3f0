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
  const auto sampled = sample_surface(mesh, 700, Random(3));
  ASSERT_TRUE(sampled.ok());
  ASSERT_EQ(sampled->cloud.points.size(), 700U);
  ASSERT_EQ(sampled->faces.size(), 700U);
  std::array<int, 4> per_face{};
  for (std::size_t i = 0; i < 700; ++i) {
    const auto& face = mesh.faces.at(sampled->faces[i]);
    const Eigen::Vector3d a = mesh.vertices[face[0]];
    const Eigen::Vector3d normal =
        (mesh.vertices[face[1]] - a).cross(mesh.vertices[face[2]] - a).normalized();
    EXPECT_NEAR(normal.dot(sampled->cloud.points[i].cast<double>() - a), 0.0, 1e-6);
    EXPECT_NEAR(normal.dot(sampled->cloud.normals[i].cast<double>()), 1.0, 1e-6);
    ++per_face[sampled->faces[i]];
  }
  // By area: three of 1/2, one of sqrt(3)/2.
  EXPECT_NEAR(per_face[3], 700 * 0.366, 20);
}

TEST(SampleSurface, IsTheSameAsForAllFragments) {
  const std::vector<TriangleMesh> meshes{tetrahedron(), tetrahedron()};
  SampleOptions options;
  options.points_per_object = 600;
  options.seed = 9;
  const auto clouds = sample_fragments(meshes, options, Threads::none());
  const auto second = sample_surface(meshes[1], 300, Random(9, 1));
  ASSERT_TRUE(clouds.ok());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(clouds->at(1).points, second->cloud.points);
  EXPECT_EQ(clouds->at(1).normals, second->cloud.normals);
}

TEST(SampleSurface, RefusesCountsOutOfRange) {
  EXPECT_EQ(sample_surface(tetrahedron(), 0, Random(0)).error().cause, Cause::invalid_option);
  EXPECT_EQ(sample_surface({}, 10, Random(0)).error().cause, Cause::empty);
}

}  // namespace
}  // namespace pmtr
