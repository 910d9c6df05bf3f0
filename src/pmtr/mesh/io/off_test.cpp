// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/off.h"

#include <ctime>

#include <gtest/gtest.h>

#include "support/mesh_bytes.h"

namespace pmtr {
namespace {

using test::bytes_of;
using test::some_motion;
using test::text_of;
using Faces = std::vector<std::array<std::uint32_t, 3>>;

Result<TriangleMesh> parse(const std::string& text) { return parse_off(bytes_of(text), "a.off"); }

Error off_error(const std::string& text) {
  const auto mesh = parse(text);
  EXPECT_FALSE(mesh.ok()) << text;
  return mesh.ok() ? Error{} : mesh.error();
}

constexpr const char* square = "0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n";

TEST(ParseOff, ReadsPolygonsAndComments) {
  for (const std::string header : {"OFF\n4 2 0\n", "OFF 4 2 0\n", "OFF4 2 0\n", "4 2 0\n",
                                   "# by hand\nOFF # yes\n\n4 2\n", "OFF\r\n4 2 0\r\n"}) {
    const auto mesh = parse(header + "# vertices\n" + square + "\n4 0 1 2 3 # a square\n3 0 1 2 255 0 0\n");
    ASSERT_TRUE(mesh.ok()) << header << mesh.error().text();
    EXPECT_TRUE(check_mesh(*mesh).ok());
    EXPECT_EQ(mesh->vertices[3], Eigen::Vector3d(0, 1, 0.5));
    EXPECT_EQ(mesh->faces, (Faces{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}}));
    EXPECT_TRUE(mesh->colours.empty());
  }
}

TEST(ParseOff, ReadsColoursAsBytesOrFractions) {
  const Eigen::Vector4f expected(1, 0, 0.2F, 1);
  for (const std::string text :
       {"COFF\n1 0 0\n1 2 3 255 0 51 255\n", "COFF\n1 0 0\n1 2 3 1.0 0 0.2 1.0\n",
        "COFF\n1 0 0\n1 2 3 255 0 51\n", "OFF\n1 0 0\n1 2 3 255 0 51\n",
        "CNOFF\n1 0 0\n1 2 3 0 0 1 255 0 51 255\n", "STCNOFF\n1 0 0\n1 2 3 0 0 1 255 0 51 255 0.5 0.5\n"}) {
    const auto mesh = parse(text);
    ASSERT_TRUE(mesh.ok()) << text << mesh.error().text();
    ASSERT_EQ(mesh->colours.size(), 1U) << text;
    EXPECT_TRUE(mesh->colours[0].isApprox(expected)) << text;
    EXPECT_EQ(mesh->vertices[0], Eigen::Vector3d(1, 2, 3));
  }
}

TEST(ParseOff, ReadsNormalsAndTextureCoordinates) {
  const auto mesh = parse("STNOFF\n3 1 0\n0 0 0 0 0 1 0 0\n1 0 0 0 1 0 0.5 0\n0 1 0 nan 0 0 0 1\n3 0 1 2\n");
  ASSERT_TRUE(mesh.ok()) << mesh.error().text();
  EXPECT_EQ(mesh->normals[1], Eigen::Vector3f(0, 1, 0));
  EXPECT_EQ(mesh->normals[2], Eigen::Vector3f::Zero().eval());
  EXPECT_EQ(mesh->uvs[1], Eigen::Vector2f(0.5F, 0));
  EXPECT_EQ(mesh->face_uvs, mesh->faces);
}

TEST(FormatOff, RoundTripsExactly) {
  TriangleMesh mesh = test::coloured_tetrahedron();
  mesh.vertices[0] = {0.1, 1.0 / 3, -1e-300};
  mesh.uvs.clear();
  mesh.face_uvs.clear();
  for (const bool colours : {true, false}) {
    for (const bool normals : {true, false}) {
      TriangleMesh part = mesh;
      if (!colours) part.colours.clear();
      if (!normals) part.normals.clear();
      const auto read = parse_off(format_off(part), "a.off");
      ASSERT_TRUE(read.ok()) << read.error().text();
      EXPECT_EQ(read->vertices, part.vertices);
      EXPECT_EQ(read->faces, part.faces);
      EXPECT_EQ(read->normals, part.normals);
      EXPECT_EQ(read->colours, part.colours);
    }
  }
}

TEST(MoveOff, ChangesOnlyPositionsAndNormals) {
  const std::string before =
      "# a comment\nCNOFF # another\n3 1 0\n\n0.10 0 0  0 0 1  255 0 0 255 # red 1 2 3\n1 0 0\t0 1 0  0 255 "
      "0 255\n"
      "0 1 0 1 0 0 0 0 255 255\r\n# between\n3 0 1 2  1 1 0\n# the end";
  const auto after = move_off(bytes_of(before), some_motion(), "a.off");
  ASSERT_TRUE(after.ok()) << after.error().text();
  const auto old_pieces = test::words_and_gaps(before);
  const auto new_pieces = test::words_and_gaps(text_of(*after));
  ASSERT_EQ(old_pieces.size(), new_pieces.size());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < old_pieces.size(); ++i) changed += old_pieces[i] != new_pieces[i] ? 1 : 0;
  EXPECT_EQ(changed, 18U);
  const auto part = parse(before);
  const auto moved = parse(text_of(*after));
  ASSERT_TRUE(part.ok() && moved.ok());
  EXPECT_EQ(moved->colours, part->colours);
  EXPECT_EQ(moved->faces, part->faces);
  for (std::size_t v = 0; v < 3; ++v) {
    EXPECT_EQ(moved->vertices[v], some_motion() * part->vertices[v]);
    const Eigen::Vector3d turned = some_motion().rotation * part->normals[v].cast<double>();
    EXPECT_EQ(moved->normals[v], turned.cast<float>());
  }
  EXPECT_EQ(*move_off(bytes_of(before), Rigid3{}, "a.off"), bytes_of(before));
}

TEST(MoveOff, RefusesToLeaveTheRangeOfDouble) {
  Rigid3 away;
  away.translation.x() = 1.7e308;
  const auto moved = move_off(bytes_of("OFF\n1 0 0\n1e308 0 0\n"), away, "a.off");
  ASSERT_FALSE(moved.ok());
  EXPECT_EQ(moved.error().cause, Cause::too_large);
}

TEST(ParseOff, RefusesEveryPrefix) {
  const std::vector<std::byte> file = format_off(test::curved_sheet(8));
  ASSERT_TRUE(parse_off(file, "a.off").ok());
  test::expect_prefixes_refused(
      file, [](const auto& bytes) { return parse_off(bytes, "a.off"); }, 4);
}

TEST(ParseOff, RefusesImpossibleCountsAtOnce) {
  for (const std::string counts : {"1000000000 0 0", "1000000000000000 0 0", "18446744073709551615 1 0",
                                   "1 1000000000000000 0", "1 18446744073709551615 0"}) {
    const std::clock_t start = std::clock();
    EXPECT_EQ(off_error("OFF\n" + counts + "\n0 0 0\n").cause, Cause::truncated) << counts;
    EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC / 20) << "50 ms of processor time";
  }
}

TEST(ParseOff, RefusesBrokenFilesAndSaysWhere) {
  struct Case {
    std::string text;
    Cause cause;
    std::uint64_t line;
  };
  const std::vector<Case> cases = {
      {"OFF\n", Cause::truncated, 2},
      {"hello\n", Cause::malformed, 1},
      {"OFF\n-1 0 0\n0 0 0\n", Cause::malformed, 2},
      {"OFF\n1 0 0 7\n0 0 0\n", Cause::malformed, 2},
      {"4OFF\n1 0 0\n0 0 0 0\n", Cause::unsupported, 1},
      {"OFF BINARY\n", Cause::unsupported, 1},
      {"OFF\n1 0 0\n0 zero 0\n", Cause::malformed, 3},
      {"OFF\n1 0 0\n0    0\n", Cause::malformed, 3},
      {"OFF\n2 0 0\n0 0 0\n0 0 0 1 1 1\n", Cause::malformed, 4},
      {"COFF\n1 0 0\n0 0 0\n", Cause::malformed, 3},
      {"OFF\n1 0 0\n0 inf 0\n", Cause::not_finite, 3},
      {"OFF\n1 0 0\n0 1e999 0\n", Cause::not_finite, 3},
      {"OFF\n1 1 0\n0 0 0\n3 0 0 1\n", Cause::malformed, 4},
      {"OFF\n1 1 0\n0 0 0\n3 0 0 -1\n", Cause::malformed, 4},
      {"OFF\n1 1 0\n0 0 0\n3 0 0\n", Cause::malformed, 4},
      {"OFF\n1 1 0\n0 0 0\n4294967295 0 0\n", Cause::malformed, 4},
      {"OFF\n1 1 0\n0 0 0\n1e300 0 0\n", Cause::malformed, 4},
  };
  for (const Case& c : cases) {
    const Error error = off_error(c.text);
    EXPECT_EQ(error.cause, c.cause) << c.text << error.text();
    EXPECT_EQ(error.place.line, c.line) << c.text << error.text();
  }
  EXPECT_EQ(off_error("").cause, Cause::empty);
  EXPECT_EQ(off_error("# nothing\n").cause, Cause::empty);
  EXPECT_EQ(off_error("OFF\n0 0 0\n").cause, Cause::empty);
}

}  // namespace
}  // namespace pmtr
