// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/stl.h"

#include <cmath>
#include <ctime>

#include <gtest/gtest.h>

#include "support/mesh_bytes.h"

namespace pmtr {
namespace {

using test::Bytes;
using test::bytes_of;
using test::some_motion;
using test::text_of;

constexpr const char* two_solids =
    "solid first part of two\n"
    " facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1.50 0 0\n   vertex 0 1 0\n  endloop\n "
    "endfacet\n"
    "endsolid first part of two\n"
    "SOLID\r\n"
    " FACET NORMAL 0 0 0\r\n  OUTER LOOP\r\n   VERTEX 0 0 1\r\n   VERTEX +1e0 0 1\r\n   VERTEX 0 -1 1\r\n  "
    "ENDLOOP\r\n"
    " ENDFACET\r\n"
    "ENDSOLID\r\n";

/// `header` fills the first 80 bytes; attribute bytes and normals are all different.
std::vector<std::byte> binary_stl(int facets, const std::string& header) {
  Bytes file;
  std::string start = header;
  start.resize(80, ' ');
  file.text(start).put({static_cast<std::uint32_t>(facets)});
  for (int f = 0; f < facets; ++f) {
    const auto x = static_cast<float>(f);
    file.put({0.0F, 0.6F, 0.8F});
    file.put({x, 0.1F, -x, x + 1, 0.2F, x, 0.3F, x, 1.0F});
    file.put({static_cast<std::uint16_t>(1000 + f)});
  }
  return file.content();
}

Error stl_error(const std::vector<std::byte>& bytes) {
  const auto mesh = parse_stl(bytes, "a.stl");
  EXPECT_FALSE(mesh.ok());
  return mesh.ok() ? Error{} : mesh.error();
}

TEST(ParseStl, ReadsBinaryAlsoWhenItBeginsWithSolid) {
  for (const char* header : {"made by a scanner", "solid but binary", "solid\nfacet normal"}) {
    const auto mesh = parse_stl(binary_stl(7, header), "a.stl");
    ASSERT_TRUE(mesh.ok()) << header << ": " << mesh.error().text();
    EXPECT_TRUE(check_mesh(*mesh).ok());
    ASSERT_EQ(mesh->vertices.size(), 21U) << "corners are not merged";
    EXPECT_EQ(mesh->vertices[4], Eigen::Vector3d(2, static_cast<double>(0.2F), 1));
    ASSERT_EQ(mesh->faces.size(), 7U);
    EXPECT_EQ(mesh->faces[6], (std::array<std::uint32_t, 3>{18, 19, 20}));
  }
}

TEST(ParseStl, ReadsSeveralAsciiSolids) {
  const auto mesh = parse_stl(bytes_of(two_solids), "a.stl");
  ASSERT_TRUE(mesh.ok()) << mesh.error().text();
  ASSERT_EQ(mesh->faces.size(), 2U);
  EXPECT_EQ(mesh->vertices[1], Eigen::Vector3d(1.5, 0, 0));
  EXPECT_EQ(mesh->vertices[5], Eigen::Vector3d(0, -1, 1));
}

TEST(FormatStl, RoundTripsTheTriangles) {
  const TriangleMesh mesh = test::coloured_tetrahedron();
  const std::vector<std::byte> file = format_stl(mesh);
  const auto read = parse_stl(file, "a.stl");
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->faces.size(), mesh.faces.size());
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(read->vertices[3 * f + i], mesh.vertices[mesh.faces[f][i]]);
  }
  EXPECT_EQ(merge_duplicate_vertices(*read).vertices.size(), 4U);
  // The first facet lies in the plane z = 0, turned upwards.
  EXPECT_EQ(load_bytes<float>(file.data() + 84 + 8, std::endian::little), 1.0F);
}

TEST(MoveStl, ChangesOnlyPositionsAndNormalsOfBinaryFiles) {
  const std::vector<std::byte> before = binary_stl(9, "solid header\x01\x02");
  const auto after = move_stl(before, some_motion(), "a.stl");
  ASSERT_TRUE(after.ok()) << after.error().text();
  ASSERT_EQ(after->size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool moving = i >= 84 && (i - 84) % 50 < 48;
    if (!moving) {
      EXPECT_EQ(before[i], (*after)[i]) << "byte " << i;
    }
  }
  const auto part = parse_stl(before, "a.stl");
  const auto moved = parse_stl(*after, "a.stl");
  ASSERT_TRUE(moved.ok());
  for (std::size_t v = 0; v < part->vertices.size(); ++v)
    EXPECT_EQ(moved->vertices[v].cast<float>(), (some_motion() * part->vertices[v]).cast<float>());
  const Eigen::Vector3d turned = some_motion().rotation * Eigen::Vector3d(0, 0.6F, 0.8F);
  EXPECT_EQ(load_bytes<float>(after->data() + 84, std::endian::little), static_cast<float>(turned.x()));
}

TEST(MoveStl, ChangesOnlyTheNumbersOfAsciiFiles) {
  const auto after = move_stl(bytes_of(two_solids), some_motion(), "a.stl");
  ASSERT_TRUE(after.ok()) << after.error().text();
  const auto old_pieces = test::words_and_gaps(two_solids);
  const auto new_pieces = test::words_and_gaps(text_of(*after));
  ASSERT_EQ(old_pieces.size(), new_pieces.size());
  for (std::size_t i = 0; i < old_pieces.size(); ++i) {
    const bool number = std::string("+-0123456789").find(old_pieces[i][0]) != std::string::npos;
    if (!number) {
      EXPECT_EQ(old_pieces[i], new_pieces[i]);
    }
  }
  const auto part = parse_stl(bytes_of(two_solids), "a.stl");
  const auto moved = parse_stl(*after, "a.stl");
  ASSERT_TRUE(moved.ok());
  for (std::size_t v = 0; v < part->vertices.size(); ++v)
    EXPECT_EQ(moved->vertices[v], some_motion() * part->vertices[v]);
  EXPECT_NE(text_of(*after).find("FACET NORMAL 0 0 0\r"), std::string::npos) << "no direction stays none";
}

TEST(MoveStl, LeavesEveryByteForTheIdentity) {
  std::vector<std::byte> binary = binary_stl(3, "x");
  store_bytes(binary.data() + 84 + 12, -0.0F, std::endian::little);
  store_bytes(binary.data() + 84, NAN, std::endian::little);
  EXPECT_EQ(*move_stl(binary, Rigid3{}, "a.stl"), binary);
  EXPECT_EQ(*move_stl(bytes_of(two_solids), Rigid3{}, "a.stl"), bytes_of(two_solids));
}

TEST(MoveStl, RefusesToLeaveTheRangeOfFloat) {
  std::vector<std::byte> binary = binary_stl(3, "x");
  store_bytes(binary.data() + 84 + 12, 3.4e38F, std::endian::little);
  Rigid3 away;
  away.translation.x() = 1e38;
  const auto moved = move_stl(binary, away, "a.stl");
  ASSERT_FALSE(moved.ok());
  EXPECT_EQ(moved.error().cause, Cause::too_large);
}

TEST(ParseStl, KeepsBytesAfterTheLastFacet) {
  std::vector<std::byte> file = binary_stl(3, "x");
  file.resize(file.size() + 10, std::byte{7});
  const auto mesh = parse_stl(file, "a.stl");
  ASSERT_TRUE(mesh.ok());
  EXPECT_EQ(mesh->faces.size(), 3U);
  const auto moved = move_stl(file, some_motion(), "a.stl");
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(std::vector<std::byte>(moved->end() - 10, moved->end()),
            std::vector<std::byte>(10, std::byte{7}));
}

TEST(ParseStl, RefusesEveryPrefix) {
  auto parse = [](const auto& bytes) { return parse_stl(bytes, "a.stl"); };
  test::expect_prefixes_refused(binary_stl(30, "scan"), parse);
  test::expect_prefixes_refused(binary_stl(30, "solid scan"), parse);
  std::string ascii = "solid a\n";
  for (int f = 0; f < 20; ++f)
    ascii += "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
  ascii += "endsolid a\n";
  ASSERT_TRUE(parse(bytes_of(ascii)).ok());
  // The name after endsolid may be missing.
  test::expect_prefixes_refused(bytes_of(ascii), parse, 3);
}

TEST(ParseStl, RefusesImpossibleCountsAtOnce) {
  for (const std::uint32_t count : {1000000000U, 0xffffffffU, 31U}) {
    std::vector<std::byte> file = binary_stl(30, "scan");
    store_bytes(file.data() + 80, count, std::endian::little);
    const std::clock_t start = std::clock();
    EXPECT_EQ(stl_error(file).cause, Cause::truncated);
    EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC / 20) << "50 ms of processor time";
  }
}

TEST(ParseStl, RefusesWhatIsNotThere) {
  EXPECT_EQ(stl_error({}).cause, Cause::empty);
  EXPECT_EQ(stl_error(binary_stl(0, "scan")).cause, Cause::empty);
  EXPECT_EQ(stl_error(bytes_of("solid a\nendsolid a\n")).cause, Cause::empty);
}

TEST(ParseStl, RefusesCoordinatesThatAreNotFinite) {
  std::vector<std::byte> file = binary_stl(4, "scan");
  const std::size_t corner = 84 + 50 * 2 + 24;
  store_bytes(file.data() + corner + 4, INFINITY, std::endian::little);
  const Error error = stl_error(file);
  EXPECT_EQ(error.cause, Cause::not_finite);
  EXPECT_EQ(error.place.byte, corner);

  std::string text = two_solids;
  text.replace(text.find("1.50"), 4, "nan");
  const Error in_text = stl_error(bytes_of(text));
  EXPECT_EQ(in_text.cause, Cause::not_finite);
  EXPECT_EQ(in_text.place.line, 5U);
}

TEST(ParseStl, RefusesStrangeWords) {
  for (const auto& [old_word, new_word] :
       std::vector<std::pair<std::string, std::string>>{{"outer", "inner"},
                                                        {"vertex", "vortex"},
                                                        {"1.50", "1,50"},
                                                        {"endloop", "vertex 1 1 1"},
                                                        {"endsolid", "end"}}) {
    std::string text = two_solids;
    text.replace(text.find(old_word), old_word.size(), new_word);
    EXPECT_EQ(stl_error(bytes_of(text)).cause, Cause::malformed) << new_word;
  }
}

TEST(Stl, BinaryThatBeginsWithSolidAndGoesOnAfterItsEndStaysBinaryWhenMoved) {
  // Found by fuzzing: whether a line ended inside the coordinates decided how the file was read.
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.faces = {{0, 1, 2}};
  std::vector<std::byte> bytes = format_stl(mesh);
  const std::string_view title = "solid  0";
  for (std::size_t i = 0; i < title.size(); ++i) bytes[i] = static_cast<std::byte>(title[i]);
  bytes[100] = static_cast<std::byte>('\n');  // in a coordinate; the move takes it away
  for (const char c : std::string_view("d a d a d a")) bytes.push_back(static_cast<std::byte>(c));
  const auto read = parse_stl(bytes, "x.stl");
  ASSERT_TRUE(read.ok()) << read.error().text();
  const Rigid3 away{Eigen::Matrix3d::Identity(), Eigen::Vector3d(10, -20, 0.125)};
  const auto moved = move_stl(bytes, away, "x.stl");
  ASSERT_TRUE(moved.ok()) << moved.error().text();
  const auto again = parse_stl(*moved, "x.stl");
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(again->faces, read->faces);
}

}  // namespace
}  // namespace pmtr
