// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/triangle_mesh.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "support/mesh_bytes.h"

namespace pmtr {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

TEST(CheckMesh, AcceptsACompleteMeshAndAnEmptyOne) {
  EXPECT_TRUE(check_mesh(test::coloured_tetrahedron()).ok());
  EXPECT_TRUE(check_mesh(TriangleMesh{}).ok());
}

TEST(CheckMesh, NamesEveryWayToBeBroken) {
  struct Case {
    const char* what;
    Cause cause;
    std::function<void(TriangleMesh&)> breaks;
  };
  const std::vector<Case> cases = {
      {"vertex NaN", Cause::not_finite, [](TriangleMesh& m) { m.vertices[2].y() = NAN; }},
      {"vertex inf", Cause::not_finite, [](TriangleMesh& m) { m.vertices[2].y() = INFINITY; }},
      {"face index", Cause::malformed, [](TriangleMesh& m) { m.faces[1][2] = 4; }},
      {"too few normals", Cause::malformed, [](TriangleMesh& m) { m.normals.pop_back(); }},
      {"normal NaN", Cause::not_finite, [](TriangleMesh& m) { m.normals[0].x() = not_a_number; }},
      {"too many colours", Cause::malformed, [](TriangleMesh& m) { m.colours.push_back(m.colours[0]); }},
      {"colour NaN", Cause::not_finite, [](TriangleMesh& m) { m.colours[0].x() = not_a_number; }},
      {"UV index", Cause::malformed, [](TriangleMesh& m) { m.uvs.pop_back(); }},
      {"UV NaN", Cause::not_finite, [](TriangleMesh& m) { m.uvs[0].x() = not_a_number; }},
      {"too few UV triples", Cause::malformed, [](TriangleMesh& m) { m.face_uvs.pop_back(); }},
      {"material index", Cause::malformed,
       [](TriangleMesh& m) {
         m.face_materials = {0, 0, 0, 0};
       }},
      {"material below -1", Cause::malformed,
       [](TriangleMesh& m) {
         m.face_materials = {-1, -2, -1, -1};
       }},
      {"too few material indices", Cause::malformed, [](TriangleMesh& m) { m.face_materials = {-1}; }},
      {"texture index", Cause::malformed,
       [](TriangleMesh& m) {
         m.materials = {{"wood", {1, 1, 1, 1}, 0}};
       }},
      {"material colour", Cause::not_finite,
       [](TriangleMesh& m) {
         m.materials = {{"wood", {1, not_a_number, 1, 1}, -1}};
       }},
  };
  for (const Case& c : cases) {
    TriangleMesh mesh = test::coloured_tetrahedron();
    c.breaks(mesh);
    const Status status = check_mesh(mesh);
    ASSERT_FALSE(status.ok()) << c.what;
    EXPECT_EQ(status.error().cause, c.cause) << c.what << ": " << status.error().message;
  }
}

TEST(SurfaceArea, SumsTriangles) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {0, 0, 4}};
  mesh.faces = {{0, 1, 2}, {0, 3, 1}, {0, 0, 1}};  // 3, 4, and a degenerate one
  EXPECT_DOUBLE_EQ(surface_area(mesh), 7.0);
  EXPECT_EQ(surface_area(TriangleMesh{}), 0.0);
}

TEST(MergeDuplicateVertices, KeepsTheFirstOfEach) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.faces = {{0, 1, 2}, {3, 4, 5}};
  for (int v = 0; v < 6; ++v) mesh.colours.emplace_back(static_cast<float>(v), 0, 0, 1);
  for (int v = 0; v < 6; ++v) mesh.normals.emplace_back(static_cast<float>(v), 0, 0);
  mesh.uvs = {{0, 0}, {1, 1}};
  mesh.face_uvs = {{0, 1, 0}, {1, 0, 1}};
  const TriangleMesh merged = merge_duplicate_vertices(mesh);
  ASSERT_TRUE(check_mesh(merged).ok());
  const std::vector<Eigen::Vector3d> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_EQ(merged.vertices, vertices);
  const std::vector<std::array<std::uint32_t, 3>> faces = {{0, 1, 2}, {0, 2, 3}};
  EXPECT_EQ(merged.faces, faces);
  EXPECT_EQ(merged.face_uvs, mesh.face_uvs);
  EXPECT_EQ(merged.colours.back(), mesh.colours[5]);
  EXPECT_EQ(merged.normals.back(), mesh.normals[5]);
}

}  // namespace
}  // namespace pmtr
