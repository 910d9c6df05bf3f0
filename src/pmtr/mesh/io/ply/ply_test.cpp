// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/ply/ply.h"

#include <string>

#include <gtest/gtest.h>

#include "support/mesh_bytes.h"
#include "support/ply_file.h"

namespace pmtr {
namespace {

using test::bytes_of;
using test::PlyFile;
using Faces = std::vector<std::array<std::uint32_t, 3>>;

class PlyEncodings : public ::testing::TestWithParam<PlyEncoding> {};
INSTANTIATE_TEST_SUITE_P(All, PlyEncodings,
                         ::testing::Values(PlyEncoding::ascii, PlyEncoding::little_endian,
                                           PlyEncoding::big_endian));

void expect_same(const TriangleMesh& a, const TriangleMesh& b) {
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.faces, b.faces);
  EXPECT_EQ(a.normals, b.normals);
  EXPECT_EQ(a.colours, b.colours);
  EXPECT_EQ(a.uvs, b.uvs);
  EXPECT_EQ(a.face_uvs, b.face_uvs);
}

TEST(FormatPly, RoundTripsEverythingAsFloat) {
  const TriangleMesh mesh = test::coloured_tetrahedron();
  const std::vector<std::byte> file = format_ply(mesh);
  EXPECT_NE(test::text_of(file).find("property float x"), std::string::npos);
  const auto read = parse_ply(file, "a.ply");
  ASSERT_TRUE(read.ok()) << read.error().text();
  expect_same(*read, mesh);
}

TEST(FormatPly, UsesDoubleWhereFloatWouldLose) {
  TriangleMesh mesh = test::coloured_tetrahedron();
  mesh.vertices[2].x() = 0.1;
  const std::vector<std::byte> file = format_ply(mesh);
  EXPECT_NE(test::text_of(file).find("property double x"), std::string::npos);
  const auto read = parse_ply(file, "a.ply");
  ASSERT_TRUE(read.ok());
  expect_same(*read, mesh);
}

TEST(FormatPly, KeepsASeamInTheUvs) {
  TriangleMesh mesh = test::coloured_tetrahedron();
  mesh.uvs.emplace_back(0.5F, 0.75F);
  mesh.face_uvs[3][0] = 4;  // vertex 2 has another UV on the last face
  const auto read = parse_ply(format_ply(mesh), "a.ply");
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->face_uvs.size(), mesh.faces.size());
  EXPECT_EQ(read->faces, mesh.faces);
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(read->uvs[read->face_uvs[f][i]], mesh.uvs[mesh.face_uvs[f][i]]);
  }
}

TEST(FormatPly, RoundTripsAPointCloud) {
  TriangleMesh mesh;
  mesh.vertices = {{1, 2, 3}, {1e300, -1e-300, 0}};
  const auto read = parse_ply(format_ply(mesh), "a.ply");
  ASSERT_TRUE(read.ok());
  expect_same(*read, mesh);
}

TEST_P(PlyEncodings, ReadsCoordinatesOfEveryType) {
  for (const PlyType type : test::all_ply_types) {
    PlyFile file(GetParam());
    const std::string name = type_name(type);
    file.header("element vertex 2\nproperty " + name + " x\nproperty " + name + " y\nproperty " + name +
                " z\n");
    for (const double value : {1.0, 2.0, 100.0, 7.0, smallest(type), largest(type)}) file.value(type, value);
    const auto mesh = parse_ply(file.content(), "a.ply");
    ASSERT_TRUE(mesh.ok()) << name << ": " << mesh.error().text();
    const std::vector<Eigen::Vector3d> expected = {{1, 2, 100}, {7, smallest(type), largest(type)}};
    EXPECT_EQ(mesh->vertices, expected) << name;
    EXPECT_TRUE(mesh->faces.empty());
  }
}

TEST_P(PlyEncodings, ReadsFacesOfEveryTypeAndName) {
  for (const PlyType type : test::all_ply_types) {
    for (const PlyType count_type : test::all_ply_types) {
      if (!is_whole(count_type)) continue;
      for (const char* list : {"vertex_index", "vertex_indices"}) {
        PlyFile file(GetParam());
        file.header(test::float_vertices(5) + "element face 3\nproperty list " + type_name(count_type) + " " +
                    type_name(type) + " " + list + "\n");
        file.points(5);
        for (const double v : {3, 0, 1, 2}) file.value(file.entries() == 0 ? count_type : type, v);
        file.end_row();
        for (const double v : {5, 0, 1, 2, 3, 4}) file.value(file.entries() == 0 ? count_type : type, v);
        file.end_row();
        for (const double v : {2, 0, 1}) file.value(file.entries() == 0 ? count_type : type, v);
        file.end_row();
        const auto mesh = parse_ply(file.content(), "a.ply");
        ASSERT_TRUE(mesh.ok()) << mesh.error().text();
        EXPECT_EQ(mesh->faces, (Faces{{0, 1, 2}, {0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
      }
    }
  }
}

TEST_P(PlyEncodings, ReadsColoursOfEveryType) {
  struct Case {
    PlyType type;
    double full;
    const char* prefix;
  };
  for (const Case& c :
       {Case{PlyType::uint8, 255, ""}, Case{PlyType::uint16, 65535, ""}, Case{PlyType::float32, 1, ""},
        Case{PlyType::float64, 1, ""}, Case{PlyType::int32, 255, "diffuse_"}}) {
    PlyFile file(GetParam());
    std::string header = test::float_vertices(1);
    for (const char* channel : {"blue", "red", "green"})
      header += std::string("property ") + type_name(c.type) + " " + c.prefix + channel + "\n";
    file.header(header);
    file.points(1);
    for (const double value : {c.full, 0.0, c.full}) file.value(c.type, value);
    const auto mesh = parse_ply(file.content(), "a.ply");
    ASSERT_TRUE(mesh.ok()) << mesh.error().text();
    ASSERT_EQ(mesh->colours.size(), 1U);
    EXPECT_EQ(mesh->colours[0], Eigen::Vector4f(0, 1, 1, 1)) << type_name(c.type);
  }
}

TEST_P(PlyEncodings, TakesElementsAndPropertiesInAnyOrder) {
  PlyFile file(GetParam());
  file.header(
      "comment made by hand\nobj_info anything\n"
      "element camera 1\nproperty float view\nproperty list int double settings\n"
      "element nothing 1000000000\n"
      "element face 1\nproperty uchar flags\nproperty list uchar int vertex_indices\nproperty int patch\n"
      "element vertex 3\nproperty uchar alpha\nproperty float nz\nproperty double z\nproperty list uchar "
      "short labels\n"
      "property float t\nproperty short x\nproperty float nx\nproperty float quality\nproperty float y\n"
      "property float s\nproperty float ny\n"
      "element edge 1\nproperty int a\nproperty int b\n");
  file.value(PlyType::float32, 9)
      .value(PlyType::int32, 2)
      .value(PlyType::float64, 1)
      .value(PlyType::float64, 2);
  file.end_row();
  file.value(PlyType::uint8, 1).value(PlyType::uint8, 3);
  for (const double v : {2, 1, 0}) file.value(PlyType::int32, v);
  file.value(PlyType::int32, 8);
  file.end_row();
  for (const int v : {0, 1, 2}) {
    file.value(PlyType::uint8, 255).value(PlyType::float32, 0.5).value(PlyType::float64, v + 0.25);
    file.value(PlyType::uint8, v);
    for (int label = 0; label < v; ++label) file.value(PlyType::int16, -label);
    file.value(PlyType::float32, v).value(PlyType::int16, -v).value(PlyType::float32, 1.5);
    file.value(PlyType::float32, 77).value(PlyType::float32, 10 + v).value(PlyType::float32, 0.5);
    file.value(PlyType::float32, -2);
    file.end_row();
  }
  file.value(PlyType::int32, 0).value(PlyType::int32, 1);
  const auto mesh = parse_ply(file.content(), "a.ply");
  ASSERT_TRUE(mesh.ok()) << mesh.error().text();
  EXPECT_EQ(mesh->vertices, (std::vector<Eigen::Vector3d>{{0, 10, 0.25}, {-1, 11, 1.25}, {-2, 12, 2.25}}));
  EXPECT_EQ(mesh->faces, (Faces{{2, 1, 0}}));
  EXPECT_EQ(mesh->normals[2], Eigen::Vector3f(1.5F, -2, 0.5F));
  EXPECT_EQ(mesh->uvs[2], Eigen::Vector2f(0.5F, 2));
  EXPECT_TRUE(mesh->colours.empty()) << "alpha alone is no colour";
}

TEST_P(PlyEncodings, ReadsTextureCoordinatesOfFaces) {
  PlyFile file(GetParam());
  file.header("comment TextureFile old wood.png\ncomment TextureFile b.JPG\n" + test::float_vertices(4) +
              "element face 2\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n"
              "property int texnumber\n");
  file.points(4);
  file.value(PlyType::uint8, 4);
  for (const double v : {0, 1, 2, 3}) file.value(PlyType::int32, v);
  file.value(PlyType::uint8, 8);
  for (const double v : {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5}) file.value(PlyType::float32, v);
  file.value(PlyType::int32, 1);
  file.end_row();
  file.value(PlyType::uint8, 3);
  for (const double v : {0, 1, 2}) file.value(PlyType::int32, v);
  file.value(PlyType::uint8, 0).value(PlyType::int32, 7);
  const auto mesh = parse_ply(file.content(), "a.ply");
  ASSERT_TRUE(mesh.ok()) << mesh.error().text();
  ASSERT_TRUE(check_mesh(*mesh).ok());
  ASSERT_EQ(mesh->faces.size(), 3U);
  EXPECT_EQ(mesh->uvs[mesh->face_uvs[1][2]], Eigen::Vector2f(3, 3.5F));
  EXPECT_EQ(mesh->face_materials, (std::vector<std::int32_t>{1, 1, -1}));
  ASSERT_EQ(mesh->textures.size(), 2U);
  EXPECT_EQ(mesh->textures[0].name, "old wood.png");
  EXPECT_EQ(mesh->textures[1].mime, "image/jpeg");
}

TEST(ParsePly, TakesHeadersWithAnyLineEnd) {
  const std::string header =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty uchar x\nproperty uchar y\nproperty "
      "uchar "
      "z\nend_header\n";
  for (const std::string line_end : {"\n", "\r\n", "\r"}) {
    std::string text;
    for (const char c : header) text += c == '\n' ? line_end : std::string(1, c);
    text += "\n\r\n";  // the data: bytes that look like line ends
    const auto mesh = parse_ply(bytes_of(text), "a.ply");
    ASSERT_TRUE(mesh.ok()) << mesh.error().text();
    EXPECT_EQ(mesh->vertices[0], Eigen::Vector3d(10, 13, 10));
  }
}

TEST(ParsePly, ReadsNormalsThatAreNoDirectionAsZero) {
  const auto mesh = parse_ply(
      bytes_of(
          "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
          "property float nx\nproperty float ny\nproperty float nz\nend_header\n1 2 3 nan 0 1\n"),
      "a.ply");
  ASSERT_TRUE(mesh.ok()) << mesh.error().text();
  EXPECT_EQ(mesh->normals[0], Eigen::Vector3f::Zero().eval());
}

}  // namespace
}  // namespace pmtr
