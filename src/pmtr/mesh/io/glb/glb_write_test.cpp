// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/random.h"
#include "pmtr/mesh/io/glb/glb.h"
#include "pmtr/mesh/io/glb/glb_test_file.h"

namespace pmtr {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Face = std::array<std::uint32_t, 3>;

TriangleMesh read_back(const TriangleMesh& mesh) {
  const auto file = format_glb(mesh);
  EXPECT_EQ(file.size() % 4, 0U);
  auto reading = read_glb_with_warnings(file, "part.glb");
  EXPECT_TRUE(reading.ok()) << reading.error().text();
  if (!reading.ok()) return {};
  EXPECT_THAT(reading->warnings, IsEmpty());
  EXPECT_TRUE(check_mesh(reading->mesh).ok());
  return std::move(reading->mesh);
}

std::string json_of(const TriangleMesh& mesh) {
  const auto file = format_glb(mesh);
  return std::string(glb::split(file, "")->json);
}

TriangleMesh random_mesh() {
  TriangleMesh mesh;
  Random random(5, 0);
  for (int i = 0; i < 6; ++i) {
    mesh.vertices.emplace_back(
        Eigen::Vector3f(static_cast<float>(random.normal()), static_cast<float>(random.normal()), 1)
            .cast<double>());
    mesh.normals.emplace_back(random.rotation().col(0).cast<float>());
    mesh.colours.emplace_back(random.uniform(), random.uniform(), random.uniform(), 1);
  }
  mesh.faces = {{0, 1, 2}, {2, 1, 3}, {3, 4, 5}};
  return mesh;
}

TEST(GlbWrite, ReadsBackTheSame) {
  const TriangleMesh mesh = random_mesh();
  const TriangleMesh again = read_back(mesh);
  EXPECT_EQ(again.vertices, mesh.vertices);
  EXPECT_EQ(again.faces, mesh.faces);
  EXPECT_EQ(again.colours, mesh.colours);
  ASSERT_EQ(again.normals.size(), mesh.normals.size());
  for (std::size_t i = 0; i < 6; ++i) EXPECT_LT((again.normals[i] - mesh.normals[i]).norm(), 1e-6F);
  EXPECT_THAT(again.face_uvs, IsEmpty());
  EXPECT_THAT(again.face_materials, IsEmpty());
}

TEST(GlbWrite, PointClouds) {
  TriangleMesh mesh = random_mesh();
  mesh.faces.clear();
  EXPECT_EQ(read_back(mesh).vertices, mesh.vertices);
  EXPECT_THAT(json_of(mesh), HasSubstr("\"mode\":0"));
}

TEST(GlbWrite, PositionsHaveTheirBox) {
  TriangleMesh mesh;
  mesh.vertices = {{-1, 2, 3}, {4, -5, 6}, {0.5, 0, 7}};
  mesh.faces = {{0, 1, 2}};
  EXPECT_THAT(json_of(mesh), HasSubstr(R"("min":[-1.0,-5.0,3.0],"max":[4.0,2.0,7.0])"));
}

TEST(GlbWrite, ColoursFromBytesAreWrittenAsBytes) {
  TriangleMesh mesh = random_mesh();
  for (std::size_t i = 0; i < mesh.colours.size(); ++i) {
    for (int c = 0; c < 4; ++c)
      mesh.colours[i][c] = static_cast<float>(40 * i + static_cast<std::size_t>(c)) / 255.0F;
  }
  EXPECT_THAT(json_of(mesh), HasSubstr("\"normalized\":true"));
  EXPECT_EQ(read_back(mesh).colours, mesh.colours);
}

TEST(GlbWrite, VerticesAreSplitOnlyWhereTextureCoordinatesDiffer) {
  TriangleMesh mesh = random_mesh();
  mesh.uvs = {{0, 0}, {1, 0}, {0.5F, 0.25F}, {1, 0}};
  mesh.face_uvs = {
      {0, 1, 2}, {0, 3, 1}, {2, 2, 2}};  // vertex 2 has two, 3 has two; 1 and 3 are the same place
  const TriangleMesh again = read_back(mesh);
  ASSERT_EQ(again.vertices.size(), 8U);
  EXPECT_EQ(again.vertices[6], mesh.vertices[2]);
  EXPECT_EQ(again.vertices[7], mesh.vertices[3]);
  EXPECT_THAT(again.faces, ElementsAre(Face{0, 1, 2}, Face{6, 1, 3}, Face{7, 4, 5}));
  for (std::size_t f = 0; f < 3; ++f) {
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(again.uvs[again.face_uvs[f][c]], mesh.uvs[mesh.face_uvs[f][c]]);
  }
}

TEST(GlbWrite, MaterialsAndTextures) {
  TriangleMesh mesh = random_mesh();
  mesh.uvs = {{0, 0}};
  mesh.face_uvs = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  mesh.textures = {{"a.tga", "image/x-tga", raw<char>({'t'})},
                   {"b.png", "image/png", raw<char>({'x', 'y', 'z'})}};
  mesh.materials = {{"caf\xE9", {1, 1, 1, 1}, 0}, {"m", {0.5F, 0.25F, 0, 0.5F}, 1}};
  mesh.face_materials = {1, -1, 1};
  const TriangleMesh again = read_back(mesh);
  EXPECT_THAT(again.face_materials, ElementsAre(-1, 1, 1));
  EXPECT_THAT(again.faces, ElementsAre(Face{2, 1, 3}, Face{0, 1, 2}, Face{3, 4, 5}));
  EXPECT_EQ(again.vertices.size(), 6U);  // primitives share their vertices
  ASSERT_EQ(again.materials.size(), 2U);
  EXPECT_EQ(again.materials[0].texture, -1);  // TGA does not exist in glTF
  EXPECT_EQ(again.materials[1].texture, 0);
  EXPECT_EQ(again.materials[1].base_colour, mesh.materials[1].base_colour);
  ASSERT_EQ(again.textures.size(), 1U);
  EXPECT_EQ(again.textures[0].name, "b.png");
  EXPECT_EQ(again.textures[0].bytes, mesh.textures[1].bytes);
}

TEST(GlbWrite, FarFromTheOriginKeepsItsPrecision) {
  TriangleMesh mesh;
  mesh.vertices = {
      {4'300'000.1, 500'000.2, 0.3}, {4'300'000.15, 500'000.2, 0.3}, {4'300'000.1, 500'000.27, 0.3}};
  mesh.faces = {{0, 1, 2}};
  const TriangleMesh again = read_back(mesh);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT((again.vertices[i] - mesh.vertices[i]).norm(), 1e-8);
  mesh.vertices = {{0.1, 0.2, 0.3}, {1.1, 0, 0}, {0, 1, 0}};
  EXPECT_THAT(json_of(mesh), Not(HasSubstr("translation")));
}

TEST(GlbWrite, NothingIsStillAFile) {
  const auto file = format_glb({});
  EXPECT_EQ(parse_glb(file, "part.glb").error().cause, Cause::empty);
}

}  // namespace
}  // namespace pmtr
