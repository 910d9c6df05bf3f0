// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/core/random.h"
#include "pmtr/mesh/io/obj/mtl.h"
#include "pmtr/mesh/io/obj/obj.h"

namespace pmtr {
namespace {

using testing::ElementsAre;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

TriangleMesh painted_mesh() {
  TriangleMesh mesh;
  Random random(1, 0);
  for (int i = 0; i < 5; ++i) {
    mesh.vertices.emplace_back(random.normal() * 1e5, random.normal(), random.normal() * 1e-9);
    mesh.normals.emplace_back(random.rotation().col(0).cast<float>());
    mesh.colours.emplace_back(random.uniform(), random.uniform(), random.uniform(), i == 2 ? 0.5F : 1.0F);
  }
  mesh.faces = {{0, 1, 2}, {2, 1, 3}, {3, 4, 0}};
  mesh.uvs = {{0.1F, 0.2F}, {0.3F, 0.9F}, {1, 0}};
  mesh.face_uvs = {{0, 1, 2}, {2, 2, 2}, {1, 0, 1}};
  mesh.materials = {
      {"old wood", {0.5F, 0.25F, 1, 1}, 1}, {"old wood", {1, 1, 1, 0.5F}, 0}, {"", {1, 1, 1, 1}, -1}};
  mesh.face_materials = {1, -1, 0};
  mesh.textures = {{"a/skin.png", "image/png", bytes_of("png")}, {"skin", "image/jpeg", bytes_of("jpg")}};
  return mesh;
}

TEST(ObjWrite, ReadsBackTheSame) {
  const TriangleMesh mesh = painted_mesh();
  const auto obj = format_obj(mesh, "part.mtl");
  const MtlDocument mtl = format_mtl(mesh);
  const auto reading = read_obj_with_companions(
      obj, "part.obj", [&](const std::string& name) -> Result<std::vector<std::byte>> {
        if (name == "part.mtl") return bytes_of(mtl.mtl);
        for (const auto& texture : mtl.textures) {
          if (texture.relative_path == name) return texture.bytes;
        }
        return Error{Cause::unreadable, "not there", {}};
      });
  ASSERT_TRUE(reading.ok()) << reading.error().text();
  EXPECT_THAT(reading->warnings, testing::IsEmpty());
  const TriangleMesh& again = reading->mesh;
  EXPECT_EQ(again.vertices, mesh.vertices);
  EXPECT_EQ(again.normals, mesh.normals);
  EXPECT_EQ(again.colours, mesh.colours);
  EXPECT_EQ(again.uvs, mesh.uvs);
  EXPECT_EQ(again.faces, mesh.faces);
  EXPECT_EQ(again.face_uvs, mesh.face_uvs);
  EXPECT_EQ(again.face_materials, mesh.face_materials);
  ASSERT_EQ(again.materials.size(), 3U);
  EXPECT_EQ(again.materials[0].name, "old_wood");
  EXPECT_EQ(again.materials[1].name, "old_wood_2");
  EXPECT_EQ(again.materials[2].name, "material");
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(again.materials[i].base_colour, mesh.materials[i].base_colour);
  ASSERT_EQ(again.textures.size(), 2U);
  EXPECT_EQ(as_text(again.textures[static_cast<std::size_t>(again.materials[0].texture)].bytes), "jpg");
  EXPECT_EQ(as_text(again.textures[static_cast<std::size_t>(again.materials[1].texture)].bytes), "png");
}

TEST(ObjWrite, PlainText) {
  TriangleMesh mesh;
  mesh.vertices = {{0, -0.0, 0.1}, {1, 0, 0}, {1e300, 2, 3}};
  mesh.faces = {{0, 1, 2}};
  EXPECT_EQ(as_text(format_obj(mesh)), "v 0 0 0.1\nv 1 0 0\nv 1e+300 2 3\nf 1 2 3\n");
  mesh.faces.clear();
  mesh.colours.assign(3, Eigen::Vector4f(0.5F, 0, 1, 1));
  EXPECT_EQ(as_text(format_obj(mesh)), "v 0 0 0.1 0.5 0 1\nv 1 0 0 0.5 0 1\nv 1e+300 2 3 0.5 0 1\n");
}

TEST(ObjWrite, TextureNamesAreSafeAndDistinct) {
  TriangleMesh mesh;
  mesh.textures = {{"../a b.png", "image/png", {}},
                   {"c\\a b.png", "image/png", {}},
                   {"", "image/jpeg", {}},
                   {"..", "", {}}};
  const MtlDocument mtl = format_mtl(mesh);
  std::vector<std::string> names;
  for (const auto& texture : mtl.textures) names.push_back(texture.relative_path.string());
  EXPECT_THAT(names, ElementsAre("a_b.png", "a_b_2.png", "texture.jpg", "_."));
}

}  // namespace
}  // namespace pmtr
