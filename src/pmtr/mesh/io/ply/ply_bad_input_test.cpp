// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cmath>
#include <ctime>

#include <gtest/gtest.h>

#include "pmtr/mesh/io/ply/ply.h"
#include "support/mesh_bytes.h"
#include "support/ply_file.h"

namespace pmtr {
namespace {

using test::bytes_of;
using test::PlyFile;

constexpr const char* xyz = "property float x\nproperty float y\nproperty float z\n";

Error error_of(const std::vector<std::byte>& bytes) {
  const auto mesh = parse_ply(bytes, "a.ply");
  EXPECT_FALSE(mesh.ok());
  return mesh.ok() ? Error{} : mesh.error();
}
Error error_of(const std::string& text) { return error_of(bytes_of(text)); }

class PlyBadInput : public ::testing::TestWithParam<PlyEncoding> {};
INSTANTIATE_TEST_SUITE_P(All, PlyBadInput,
                         ::testing::Values(PlyEncoding::ascii, PlyEncoding::little_endian,
                                           PlyEncoding::big_endian));

TEST(ParsePly, RefusesBrokenHeaders) {
  EXPECT_EQ(error_of("").cause, Cause::empty);
  const std::string ascii = "ply\nformat ascii 1.0\n";
  struct Case {
    std::string text;
    Cause cause;
    std::uint64_t line;
  };
  const std::vector<Case> cases = {
      {ascii + "elephant vertex 1\nend_header\n", Cause::malformed, 3},
      {ascii + "element vertex\nend_header\n", Cause::malformed, 3},
      {ascii + "element vertex -1\nend_header\n", Cause::malformed, 3},
      {ascii + "element vertex 1e3\nend_header\n", Cause::malformed, 3},
      {ascii + "element vertex 99999999999999999999\nend_header\n", Cause::malformed, 3},
      {ascii + "property float x\nend_header\n", Cause::malformed, 3},
      {ascii + "element vertex 1\nproperty quad x\nend_header\n", Cause::malformed, 4},
      {ascii + "element vertex 1\nproperty float\nend_header\n", Cause::malformed, 4},
      {ascii + "element face 1\nproperty list float int vertex_indices\nend_header\n", Cause::malformed, 4},
      {ascii + "element vertex 1\n" + xyz + "element vertex 1\nend_header\n", Cause::malformed, 7},
      {ascii + "format ascii 1.0\nend_header\n", Cause::malformed, 3},
      {"ply\nformat ascii 2.0\nend_header\n", Cause::unsupported, 2},
      {"ply\nformat morse 1.0\nend_header\n", Cause::malformed, 2},
      {"ply\nend_header\n", Cause::malformed, 2},
  };
  for (const Case& c : cases) {
    const Error error = error_of(c.text);
    EXPECT_EQ(error.cause, c.cause) << c.text << error.text();
    EXPECT_EQ(error.place.line, c.line) << c.text << error.text();
    EXPECT_EQ(error.place.file, "a.ply");
  }
  EXPECT_EQ(error_of("plyx\n").cause, Cause::malformed);
  EXPECT_EQ(error_of(ascii + "element vertex 1\n").cause, Cause::truncated);
  EXPECT_EQ(error_of(ascii + "end_header\n").cause, Cause::empty);
  EXPECT_EQ(error_of(ascii + "element vertex 0\n" + xyz + "end_header\n").cause, Cause::empty);
  EXPECT_EQ(error_of(ascii + "element vertex 1\nproperty float x\nend_header\n1\n").cause, Cause::malformed);
}

TEST(ParsePly, SaysThatStripsAreNotSupported) {
  const Error error =
      error_of(std::string("ply\nformat ascii 1.0\nelement vertex 1\n") + xyz +
               "element tristrips 1\nproperty list int int vertex_indices\nend_header\n1 2 3\n1 0\n");
  EXPECT_EQ(error.cause, Cause::unsupported);
  EXPECT_NE(error.message.find("tristrips"), std::string::npos);
}

TEST_P(PlyBadInput, RefusesEveryPrefix) {
  PlyFile file(GetParam());
  file.header(test::float_vertices(60) + "element face 60\nproperty list uchar int vertex_indices\n");
  file.points(60);
  for (int f = 0; f < 60; ++f) {
    file.value(PlyType::uint8, 3);
    for (const double v : {0, 1, 2}) file.value(PlyType::int32, v);
    file.end_row();
  }
  ASSERT_TRUE(parse_ply(file.content(), "a.ply").ok());
  const std::size_t tail = GetParam() == PlyEncoding::ascii ? 3 : 0;
  test::expect_prefixes_refused(
      file.content(), [](const auto& bytes) { return parse_ply(bytes, "a.ply"); }, tail);
  test::expect_prefixes_refused(
      file.content(),
      [](const auto& bytes) {
        const auto moved = move_ply(bytes, test::some_motion(), "a.ply");
        return moved.ok() ? parse_ply(*moved, "a.ply") : Result<TriangleMesh>(moved.error());
      },
      tail);
}

// 10^15 vertices would be 24 petabytes: an allocation for them throws, which fails the test.
TEST_P(PlyBadInput, RefusesImpossibleCountsAtOnce) {
  for (const char* count : {"1000000000", "1000000000000000", "18446744073709551615"}) {
    for (const char* element : {"vertex", "face", "unknown"}) {
      PlyFile file(GetParam());
      const bool vertex = std::string(element) == "vertex";
      file.header((vertex ? std::string() : test::float_vertices(1)) + "element " + element + " " + count +
                  "\n" + (vertex ? xyz : "property list uchar int vertex_indices\n"));
      file.points(1);
      const std::clock_t start = std::clock();
      const Error error = error_of(file.content());
      EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC / 20) << "50 ms of processor time";
      EXPECT_EQ(error.cause, Cause::truncated) << error.text();
    }
  }
}

TEST_P(PlyBadInput, RefusesImpossibleLists) {
  for (const double count : {4294967295.0, 100.0}) {
    PlyFile file(GetParam());
    file.header(test::float_vertices(3) + "element face 1\nproperty list uint int vertex_indices\n");
    file.points(3);
    file.value(PlyType::uint32, count).value(PlyType::int32, 0);
    EXPECT_EQ(error_of(file.content()).cause, Cause::truncated);
  }
  PlyFile file(GetParam());
  file.header(test::float_vertices(3) + "element face 1\nproperty list char int vertex_indices\n");
  file.points(3);
  file.value(PlyType::int8, -1);
  EXPECT_EQ(error_of(file.content()).cause, Cause::malformed);
}

TEST_P(PlyBadInput, RefusesIndicesOutOfRange) {
  for (const double index : {-1.0, 3.0, 2147483647.0}) {
    PlyFile file(GetParam());
    file.header(test::float_vertices(3) + "element face 1\nproperty list uchar int vertex_indices\n");
    file.points(3);
    file.value(PlyType::uint8, 3);
    const std::size_t bad_byte = file.content().size() + 8;
    for (const double v : {0.0, 1.0, index}) file.value(PlyType::int32, v);
    const Error error = error_of(file.content());
    EXPECT_EQ(error.cause, Cause::malformed);
    if (GetParam() == PlyEncoding::ascii) {
      EXPECT_EQ(error.place.line, 13U) << error.text();
    } else {
      EXPECT_EQ(error.place.byte, bad_byte) << error.text();
    }
  }
}

TEST_P(PlyBadInput, RefusesCoordinatesThatAreNotFinite) {
  for (const double bad :
       {static_cast<double>(NAN), static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
    PlyFile file(GetParam());
    file.header(test::float_vertices(2));
    file.points(1);
    const std::size_t bad_byte = file.content().size() + 4;
    for (const double v : {1.0, bad, 1.0}) file.value(PlyType::float32, v);
    const Error error = error_of(file.content());
    EXPECT_EQ(error.cause, Cause::not_finite);
    if (GetParam() == PlyEncoding::ascii) {
      EXPECT_EQ(error.place.line, 9U);
    } else {
      EXPECT_EQ(error.place.byte, bad_byte);
    }
    EXPECT_FALSE(move_ply(file.content(), test::some_motion(), "a.ply").ok());
  }
}

TEST(ParsePly, RefusesWordsAmongNumbers) {
  const Error error = error_of("ply\nformat ascii 1.0\n" + test::float_vertices(1) + "end_header\n1 two 3\n");
  EXPECT_EQ(error.cause, Cause::malformed);
  EXPECT_EQ(error.place.line, 8U);
}

}  // namespace
}  // namespace pmtr
