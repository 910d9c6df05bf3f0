// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/mesh/io/obj/obj.h"

namespace pmtr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Face = std::array<std::uint32_t, 3>;

TriangleMesh read(std::string_view text) {
  auto mesh = parse_obj(as_bytes(text), "part.obj");
  EXPECT_TRUE(mesh.ok()) << mesh.error().text();
  if (!mesh.ok()) return {};
  EXPECT_TRUE(check_mesh(*mesh).ok()) << check_mesh(*mesh).error().text();
  return *std::move(mesh);
}

Error fail(std::string_view text) {
  const auto mesh = parse_obj(as_bytes(text), "part.obj");
  EXPECT_FALSE(mesh.ok()) << text;
  return mesh.ok() ? Error{} : mesh.error();
}

const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(ObjRead, FacesInEveryNotation) {
  const std::string extra = "vt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\n";
  for (const char* face :
       {"f 1 2 3\n", "f 1/1 2/2 3/3\n", "f 1//1 2//1 3//1\n", "f 1/1/1 2/2/1 3/3/1\n", "f -4 -3 -2\n",
        "f -4/-3/-1 -3/-2/-1 -2/-1/-1\n", "f 1/ 2/ 3/\n", "f\t1 2\t3 # last\n"}) {
    const TriangleMesh mesh = read(square + extra + face);
    EXPECT_EQ(mesh.vertices.size(), 4U) << face;
    EXPECT_THAT(mesh.faces, ElementsAre(Face{0, 1, 2})) << face;
  }
  const TriangleMesh mesh = read(square + extra + "f 1/3 2/2 3/1\n");
  EXPECT_THAT(mesh.face_uvs, ElementsAre(Face{2, 1, 0}));
  EXPECT_EQ(mesh.uvs[1], Eigen::Vector2f(1, 0));
}

TEST(ObjRead, PolygonsAreFanned) {
  const TriangleMesh mesh = read(square + "v 0 0.5 0\nvt 0 0\nvt 1 1\nf 1/1 2/2 3/1 4/2 5/1\n");
  EXPECT_THAT(mesh.faces, ElementsAre(Face{0, 1, 2}, Face{0, 2, 3}, Face{0, 3, 4}));
  EXPECT_THAT(mesh.face_uvs, ElementsAre(Face{0, 1, 0}, Face{0, 0, 1}, Face{0, 1, 0}));
}

TEST(ObjRead, NegativeIndicesCountFromWhereTheyStand) {
  const TriangleMesh mesh = read("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nf -4 -3 -1\n");
  EXPECT_THAT(mesh.faces, ElementsAre(Face{0, 1, 2}, Face{0, 1, 3}));
}

TEST(ObjRead, FacesMayComeBeforeTheirVertices) {
  const TriangleMesh mesh = read("f 1/1 2/1 3/1\n" + square + "vt 0.5 0.5\n");
  EXPECT_THAT(mesh.faces, ElementsAre(Face{0, 1, 2}));
}

TEST(ObjRead, LineEndsContinuationsAndComments) {
  const TriangleMesh mesh = read(
      "\xEF\xBB\xBF# made in C:\\scans\\\r\nv 0 0 0\r\nv 1 \\\r\n 0 0\r\n\r\nv 1 1 0 # third\r\n# between\r\n"
      "f 1 2 \\\r\n3\r\nunknown words 1 2 3\r\ng a b\r\ns off\r\no name");
  EXPECT_EQ(mesh.vertices.size(), 3U);
  EXPECT_EQ(mesh.vertices[1], Eigen::Vector3d(1, 0, 0));
  EXPECT_THAT(mesh.faces, ElementsAre(Face{0, 1, 2}));
  EXPECT_EQ(read("v 0 0 0\rv 1 0 0\rv 2 0 0\rf 1 2 3\r").faces.size(), 1U);
  EXPECT_EQ(read("v 0 0 0\\").vertices.size(), 1U);
}

TEST(ObjRead, NumbersInEveryForm) {
  const TriangleMesh mesh = read("v +1.5 -2e3 .25\nv 1e-400 -1e-400 0.1\n");
  EXPECT_EQ(mesh.vertices[0], Eigen::Vector3d(1.5, -2000, 0.25));
  EXPECT_EQ(mesh.vertices[1], Eigen::Vector3d(0, 0, 0.1));
}

TEST(ObjRead, WeightIsNotAColour) {
  const TriangleMesh mesh = read("v 1 2 3 1.0\nv 4 5 6 1.0\n");
  EXPECT_EQ(mesh.vertices[1], Eigen::Vector3d(4, 5, 6));
  EXPECT_THAT(mesh.colours, IsEmpty());
}

TEST(ObjRead, VertexColours) {
  const TriangleMesh unit = read("v 1 2 3 0.25 0.5 1\nv 1 2 3 0 0 0 0.5\nv 1 2 3\n");
  EXPECT_THAT(unit.colours, ElementsAre(Eigen::Vector4f(0.25F, 0.5F, 1, 1), Eigen::Vector4f(0, 0, 0, 0.5F),
                                        Eigen::Vector4f(1, 1, 1, 1)));
  const TriangleMesh bytes = read("v 1 2 3 255 51 0\n");
  EXPECT_THAT(bytes.colours, ElementsAre(Eigen::Vector4f(1, 0.2F, 0, 1)));
}

TEST(ObjRead, NormalsOnlyWhereOnePerVertex) {
  const std::string normals = "vn 0 0 1\nvn 0 1 0\nvn 0 0 1\n";
  const TriangleMesh good =
      read("v 0 0 0\nv 1 0 0\nv 0 1 0\n" + normals + "f 1//2 2//1 3//3\nf 1//2 3//1 2//3\n");
  EXPECT_THAT(good.normals,
              ElementsAre(Eigen::Vector3f(0, 1, 0), Eigen::Vector3f(0, 0, 1), Eigen::Vector3f(0, 0, 1)));
  EXPECT_THAT(read(square + normals + "f 1//1 2//1 3//1\nf 1//2 3//1 4//1\n").normals, IsEmpty());
  EXPECT_THAT(read(square + normals + "f 1//1 2//1 3//1\nf 1 3 4\n").normals, IsEmpty());
  EXPECT_THAT(read(square + normals + "f 1//1 2//1 3//1\n").normals, IsEmpty());  // the fourth has none
  EXPECT_EQ(read("v 0 0 0\nvn 0 1 0\nv 1 0 0\nvn 1 0 0\n").normals[1], Eigen::Vector3f(1, 0, 0));
}

TEST(ObjRead, RepairsAreReported) {
  const std::string text = square + "vn nan 0 0\nvt inf 0\nf 1/1/1 2/1/1 3/1/1\nf 1 2\n";
  const auto reading = read_obj_with_companions(as_bytes(text), "part.obj", {});
  ASSERT_TRUE(reading.ok());
  EXPECT_TRUE(check_mesh(reading->mesh).ok());
  EXPECT_THAT(reading->mesh.normals, IsEmpty());
  EXPECT_EQ(reading->mesh.uvs[0], Eigen::Vector2f(0, 0));
  EXPECT_THAT(reading->warnings,
              ElementsAre(HasSubstr("normals are not finite"), HasSubstr("fewer than three"),
                          HasSubstr("texture coordinates are not finite")));
}

TEST(ObjRead, FacesWithAndWithoutTextureCoordinates) {
  const TriangleMesh mesh = read(square + "vt 1 1\nf 1/1 2/1 3/1\nf 1 3 4\n");
  EXPECT_THAT(mesh.face_uvs, ElementsAre(Face{0, 0, 0}, Face{1, 1, 1}));
  EXPECT_EQ(mesh.uvs[1], Eigen::Vector2f(0, 0));
  EXPECT_THAT(read(square + "vt 1 1\nf 1 2 3\n").uvs, IsEmpty());
}

TEST(ObjRead, MaterialNamesWithoutFiles) {
  const TriangleMesh mesh =
      read(square + "f 1 2 3\nusemtl old wood\nf 1 3 4\nusemtl b\nusemtl old wood\nf 1 2 4\n");
  ASSERT_EQ(mesh.materials.size(), 2U);
  EXPECT_EQ(mesh.materials[0].name, "old wood");
  EXPECT_THAT(mesh.face_materials, ElementsAre(-1, 0, 0));
  EXPECT_THAT(read(square + "f 1 2 3\n").face_materials, IsEmpty());
}

TEST(ObjRead, BadInputSaysWhere) {
  EXPECT_EQ(fail("").cause, Cause::empty);
  EXPECT_EQ(fail("# nothing\n").cause, Cause::empty);
  EXPECT_EQ(fail("\x7f"
                 "ELF\x01\x02\n")
                .cause,
            Cause::empty);
  EXPECT_EQ(fail("v 0 0 0\nv 1 2\n").text(), "part.obj:2: a vertex needs three numbers");
  EXPECT_EQ(fail("v 0 0 0x\n").cause, Cause::malformed);
  EXPECT_EQ(fail("v 1,5 0 0\n").cause, Cause::malformed);
  EXPECT_EQ(fail("v 0 0 0\nv 0 nan 0\n").text(), "part.obj:2: a coordinate is not finite");
  for (const char* number : {"inf", "-inf", "1e999", "-1e999", "NaN"}) {
    const Error error = fail(std::string("\nv 0 0 ") + number + "\n");
    EXPECT_EQ(error.cause, Cause::not_finite) << number;
    EXPECT_EQ(error.place.line, 2U) << number;
  }
  EXPECT_EQ(fail(square + "vt x\n").place.line, 5U);
  EXPECT_EQ(fail(square + "vn 0 1\n").place.line, 5U);
}

TEST(ObjRead, BadIndicesSayWhere) {
  for (const char* face :
       {"f 0 1 2", "f 1 2 5", "f 1 2 -5", "f 1 2 99999999999999", "f 1 2 99999999999999999999999",
        "f 1 2 -99999999999999999999999", "f 1 2 -9223372036854775808", "f 1 2 4294967295", "f 1 2 x",
        "f 1 2 3/1", "f 1 2 3//1", "f 1 2 3/0", "f 1 2 /3", "f 1 2 3/1/1/1", "f 1 2 3.0"}) {
    const Error error = fail(square + "# five\n" + face + "\nv 0 0 0 0\n" + std::string(face) + "\n" +
                             (std::string(face) == "f 1 2 5" ? "f 1 2 7\n" : ""));
    EXPECT_EQ(error.cause, Cause::malformed) << face;
    EXPECT_EQ(error.place.line, std::string(face) == "f 1 2 5" ? 9U : 6U) << face << ": " << error.text();
  }
}

TEST(ObjRead, TruncatedAnywhereNeverCrashes) {
  std::string text = "mtllib a.mtl\n";
  for (int i = 0; i < 200; ++i)
    text += "v 0.125 -2.5e-3 3 0.5 0.5 0.5\nvt 0 1\nvn 0 0 1\nf -1/-1/-1 1/1/1 -1/1/-1\n";
  for (std::size_t size = 0; size < text.size(); size += 7) {
    const auto mesh = parse_obj(as_bytes(std::string_view(text).substr(0, size)), "part.obj");
    if (mesh.ok()) {
      EXPECT_TRUE(check_mesh(*mesh).ok());
    }
  }
}

}  // namespace
}  // namespace pmtr
