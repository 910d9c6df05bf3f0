// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/measures.h"

#include <numbers>

#include <gtest/gtest.h>

namespace pmtr {
namespace {

/// A corner of the unit cube, far from the origin, with a vertex that no face uses.
TriangleMesh far_corner() {
  TriangleMesh mesh;
  const Eigen::Vector3d far(1e3, -2e3, 5e2);
  mesh.vertices = {far, far + Eigen::Vector3d::UnitX(), far + Eigen::Vector3d::UnitY(),
                   far + Eigen::Vector3d::UnitZ(), far + Eigen::Vector3d(0, 0, 4)};
  mesh.faces = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  return mesh;
}

TEST(Measures, of_a_tetrahedron) {
  TriangleMesh mesh = far_corner();
  EXPECT_NEAR(enclosed_volume(mesh), 1.0 / 6, 1e-12);
  EXPECT_DOUBLE_EQ(longest_side(mesh), 4);
  EXPECT_DOUBLE_EQ(surface_box(mesh).sizes().maxCoeff(), 1);
  EXPECT_NEAR(triangle_area(mesh, 0), 0.5, 1e-12);
  EXPECT_NEAR(triangle_area(mesh, 3), std::sqrt(3.0) / 2, 1e-12);
  EXPECT_LT((vertex_mean(mesh) - Eigen::Vector3d(1000.2, -1999.8, 501)).norm(), 1e-9);
  for (auto& face : mesh.faces) std::swap(face[0], face[1]);
  EXPECT_NEAR(enclosed_volume(mesh), -1.0 / 6, 1e-12);
}

TEST(Measures, of_nothing) {
  const TriangleMesh nothing;
  EXPECT_TRUE(bounding_box(nothing).isEmpty());
  EXPECT_EQ(longest_side(nothing), 0);
  EXPECT_EQ(enclosed_volume(nothing), 0);
  EXPECT_EQ(vertex_mean(nothing), Eigen::Vector3d(0, 0, 0));
  const std::vector<TriangleMesh> some{nothing, far_corner()};
  EXPECT_DOUBLE_EQ(longest_side(some), 4);
}

TEST(Measures, a_moved_mesh_takes_its_normals_and_its_box_along) {
  TriangleMesh mesh = far_corner();
  mesh.normals.assign(mesh.vertices.size(), Eigen::Vector3f::UnitX());
  const Rigid3 pose{Eigen::AngleAxisd(std::numbers::pi / 2, Eigen::Vector3d::UnitZ()).toRotationMatrix(),
                    {1, 2, 3}};
  const TriangleMesh there = moved(mesh, pose);
  EXPECT_EQ(there.vertices[3], pose * mesh.vertices[3]);
  EXPECT_LT((there.normals[0] - Eigen::Vector3f::UnitY()).norm(), 1e-6F);
  EXPECT_EQ(there.faces, mesh.faces);
  EXPECT_EQ(bounding_box(mesh, pose).min(), bounding_box(there).min());
  EXPECT_EQ(bounding_box(mesh, pose).max(), bounding_box(there).max());
}

}  // namespace
}  // namespace pmtr
