// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/strew_points.h"

#include <gtest/gtest.h>

namespace pmtr {
namespace {

TEST(StrewPoints, lie_on_their_faces_and_are_shared_by_area) {
  TriangleMesh mesh;  // a triangle, one three times as large above it, and one without an area
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {3, 0, 1}, {0, 1, 1}, {9, 9, 9}};
  mesh.faces = {{0, 1, 2}, {6, 6, 6}, {3, 4, 5}};
  Random random(4);
  const StrewnPoints strewn = strew_points(mesh, 4000, random);
  ASSERT_EQ(strewn.cloud.vertices.size(), 4000U);
  ASSERT_EQ(strewn.faces.size(), 4000U);
  EXPECT_TRUE(strewn.cloud.faces.empty());
  int large = 0;
  for (std::size_t i = 0; i < strewn.faces.size(); ++i) {
    const Eigen::Vector3d& p = strewn.cloud.vertices[i];
    ASSERT_NE(strewn.faces[i], 1U);
    const bool above = strewn.faces[i] == 2;
    large += above ? 1 : 0;
    EXPECT_EQ(p.z(), above ? 1.0 : 0.0);
    EXPECT_GE(std::min(p.x(), p.y()), 0.0);
    EXPECT_LE(p.x() / (above ? 3.0 : 1.0) + p.y(), 1.0 + 1e-12);
  }
  EXPECT_NEAR(large / 4000.0, 0.75, 0.03);
}

}  // namespace
}  // namespace pmtr
