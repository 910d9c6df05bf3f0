// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/core/random.h"
#include "pmtr/mesh/io/obj/obj.h"

namespace pmtr {
namespace {

std::string moved(std::string_view text, const Rigid3& pose) {
  auto bytes = move_obj(as_bytes(text), pose, "part.obj");
  EXPECT_TRUE(bytes.ok()) << bytes.error().text();
  return bytes.ok() ? std::string(as_text(*bytes)) : std::string();
}

Rigid3 quarter_turn() {  // about z
  Rigid3 pose;
  pose.rotation << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  pose.translation << 10, 20, 0.5;
  return pose;
}

TEST(ObjMove, OnlyNumbersOfVerticesAndNormalsChange) {
  const std::string before =
      "# v 1 2 3\r\nmtllib a b.mtl\r\no  thing\r\nv  1.0\t2.0   3.0 0.25 0.5 0.75 # c\r\n\tv 1 \\\r\n  "
      "2\\\r\n 4 1\r\n"
      "vn 1 0 0.0 \r\nvt 1 2 3\r\nvp 1 2 3\r\nusemtl x\r\nv 0 0 0\nf 1//1 2//1 3//1\r\nl 1 2\r\n\\\r\nv";
  const std::string valid = before.substr(0, before.size() - 4);  // a cut-off vertex is an error
  const std::string after =
      "# v 1 2 3\r\nmtllib a b.mtl\r\no  thing\r\nv  8\t21   3.5 0.25 0.5 0.75 # c\r\n\tv 8 \\\r\n  21\\\r\n "
      "4.5 1\r\n"
      "vn 0 1 0.0 \r\nvt 1 2 3\r\nvp 1 2 3\r\nusemtl x\r\nv 10 20 0.5\nf 1//1 2//1 3//1\r\nl 1 2\r\n";
  EXPECT_EQ(moved(valid, quarter_turn()), after);
  EXPECT_EQ(move_obj(as_bytes(before), quarter_turn(), "part.obj").error().cause, Cause::malformed);
}

TEST(ObjMove, IdentityKeepsEveryByte) {
  const std::string text = "v 1.000 2.50 -0.0\nvn 0.00 1e0 0\nvn nan 0 0\nf 1 1 1";
  EXPECT_EQ(moved(text, {}), text);
}

TEST(ObjMove, MovedVerticesReadBackExactly) {
  Random random(3, 0);
  TriangleMesh mesh;
  for (int i = 0; i < 100; ++i) {
    mesh.vertices.emplace_back(random.normal() * 100, random.normal(), random.normal() * 1e-3);
    mesh.normals.emplace_back(random.rotation().col(1).cast<float>());
  }
  mesh.faces = {{0, 1, 2}};
  Rigid3 pose{random.rotation(), {1e3, -7, 0.125}};
  const std::string text = moved(as_text(format_obj(mesh)), pose);
  const auto again = parse_obj(as_bytes(text), "part.obj");
  ASSERT_TRUE(again.ok());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    EXPECT_EQ(again->vertices[i], pose * mesh.vertices[i]);
    EXPECT_LT((again->normals[i].cast<double>() - pose.rotation * mesh.normals[i].cast<double>()).norm(),
              1e-6);
  }
}

TEST(ObjMove, BadInputSaysWhere) {
  EXPECT_EQ(move_obj(as_bytes("\nv 1 2\n"), {}, "part.obj").error().place.line, 2U);
  EXPECT_EQ(move_obj(as_bytes("v nan 0 0\n"), {}, "part.obj").error().cause, Cause::not_finite);
  Rigid3 far;
  far.translation.setConstant(1.7e308);
  EXPECT_EQ(move_obj(as_bytes("v 1.7e308 0 0\n"), far, "part.obj").error().cause, Cause::not_finite);
}

}  // namespace
}  // namespace pmtr
