// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cmath>

#include <gtest/gtest.h>

#include "pmtr/mesh/io/ply/ply.h"
#include "support/mesh_bytes.h"
#include "support/ply_file.h"

namespace pmtr {
namespace {

using test::bytes_of;
using test::PlyFile;
using test::some_motion;
using test::text_of;

class PlyMoves : public ::testing::TestWithParam<PlyEncoding> {};
INSTANTIATE_TEST_SUITE_P(All, PlyMoves,
                         ::testing::Values(PlyEncoding::ascii, PlyEncoding::little_endian,
                                           PlyEncoding::big_endian));

constexpr int rows = 20;
Eigen::Vector3d position(int v) { return {0.1 * v - 1, 3.0 / (v + 1), 100 - v * 0.7}; }
Eigen::Vector3d normal(int v) { return Eigen::Vector3d(v, 1, -2).normalized(); }

/// Mixed types, unknown properties, a list inside the vertex, faces before and edges after.
PlyFile rich_file(PlyEncoding encoding) {
  PlyFile file(encoding);
  file.header(
      "comment 3.5 not a number to move\nobj_info scanner 7\n"
      "element face 1\nproperty list uchar int vertex_indices\nproperty float quality\n"
      "element vertex 20\nproperty uchar red\nproperty double z\nproperty float nx\nproperty list uchar "
      "short labels\n"
      "property float x\nproperty float ny\nproperty double secret\nproperty float nz\nproperty float y\n"
      "element edge 2\nproperty int a\nproperty float b\n");
  file.value(PlyType::uint8, 3);
  for (const double v : {0, 1, 2}) file.value(PlyType::int32, v);
  file.value(PlyType::float32, 0.3);
  file.end_row();
  for (int v = 0; v < rows; ++v) {
    file.value(PlyType::uint8, v).moving_value(PlyType::float64, position(v).z());
    file.moving_value(PlyType::float32, normal(v).x()).value(PlyType::uint8, v % 3);
    for (int label = 0; label < v % 3; ++label) file.value(PlyType::int16, label - 1);
    file.moving_value(PlyType::float32, position(v).x()).moving_value(PlyType::float32, normal(v).y());
    file.value(PlyType::float64, 0.1 * v).moving_value(PlyType::float32, normal(v).z());
    file.moving_value(PlyType::float32, position(v).y());
    file.end_row();
  }
  for (const double v : {1, 2}) file.value(PlyType::int32, v).value(PlyType::float32, 0.5 * v);
  return file;
}

TEST_P(PlyMoves, ChangesOnlyPositionsAndNormals) {
  const PlyFile file = rich_file(GetParam());
  const auto moved = move_ply(file.content(), some_motion(), "a.ply");
  ASSERT_TRUE(moved.ok()) << moved.error().text();
  if (GetParam() == PlyEncoding::ascii) {
    const auto before = test::words_and_gaps(text_of(file.content()));
    const auto after = test::words_and_gaps(text_of(*moved));
    ASSERT_EQ(before.size(), after.size());
    std::size_t at = 0;
    std::size_t next_moving = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (next_moving < file.moving().size() && at == file.moving()[next_moving].first) {
        ++next_moving;
      } else {
        EXPECT_EQ(before[i], after[i]) << "piece " << i;
      }
      at += before[i].size();
    }
    EXPECT_EQ(next_moving, file.moving().size());
  } else {
    ASSERT_EQ(moved->size(), file.content().size());
    std::vector<std::byte> before = file.content();
    std::vector<std::byte> after = *moved;
    for (const auto& [begin, end] : file.moving()) {
      for (std::size_t i = begin; i < end; ++i) before[i] = after[i] = std::byte{0};
    }
    EXPECT_EQ(before, after);
  }
}

TEST_P(PlyMoves, ComputesInDoubleAndRoundsOnce) {
  const PlyFile file = rich_file(GetParam());
  const auto part = parse_ply(file.content(), "a.ply");
  const auto moved_bytes = move_ply(file.content(), some_motion(), "a.ply");
  ASSERT_TRUE(part.ok() && moved_bytes.ok());
  const auto moved = parse_ply(*moved_bytes, "a.ply");
  ASSERT_TRUE(moved.ok()) << moved.error().text();
  ASSERT_EQ(moved->vertices.size(), part->vertices.size());
  // Text says "0.1" where binary says the float nearest to it; the printed float reads back rounded likewise.
  for (std::size_t v = 0; v < part->vertices.size(); ++v) {
    const Eigen::Vector3d exact = some_motion() * part->vertices[v];
    EXPECT_EQ(static_cast<float>(moved->vertices[v].x()), static_cast<float>(exact.x()));
    EXPECT_EQ(static_cast<float>(moved->vertices[v].y()), static_cast<float>(exact.y()));
    EXPECT_EQ(moved->vertices[v].z(), exact.z());
    const Eigen::Vector3d turned = some_motion().rotation * part->normals[v].cast<double>();
    EXPECT_LT((moved->normals[v].cast<double>() - turned).norm(), 1e-7);
  }
  EXPECT_EQ(moved->faces, part->faces);
}

TEST_P(PlyMoves, LeavesEveryByteForTheIdentity) {
  const PlyFile file = rich_file(GetParam());
  const auto moved = move_ply(file.content(), Rigid3{}, "a.ply");
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(*moved, file.content());
}

TEST_P(PlyMoves, LeavesNegativeZeroAndStrangeNormalsForTheIdentity) {
  PlyFile file(GetParam());
  file.header(test::float_vertices(1) + "property float nx\nproperty float ny\nproperty float nz\n");
  for (const double v : {-0.0, 1.0, -0.0, static_cast<double>(NAN), static_cast<double>(INFINITY), -0.0})
    file.value(PlyType::float32, v);
  const auto moved = move_ply(file.content(), Rigid3{}, "a.ply");
  ASSERT_TRUE(moved.ok()) << moved.error().text();
  EXPECT_EQ(*moved, file.content());
  EXPECT_TRUE(parse_ply(*move_ply(file.content(), some_motion(), "a.ply"), "a.ply").ok());
}

TEST(MovePly, KeepsDigitsOfUnchangedTextNumbers) {
  const std::string header =
      "ply\r\nformat ascii 1.0\r\nelement vertex 1\r\nproperty float x\r\nproperty double y\r\nproperty "
      "float z\r\n"
      "end_header\r\n";
  Rigid3 up;
  up.translation.z() = 0.5;
  const auto moved = move_ply(bytes_of(header + "  1.500\t+2.0e0  3.10\r\n\r\n"), up, "a.ply");
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(text_of(*moved), header + "  1.500\t+2.0e0  3.6\r\n\r\n");
}

TEST_P(PlyMoves, MovesWholeNumbersOnlyWhereNothingIsLost) {
  PlyFile file(GetParam());
  file.header("element vertex 1\nproperty short x\nproperty short y\nproperty short z\n");
  for (const double v : {1, 2, 3}) file.value(PlyType::int16, v);
  Rigid3 quarter;
  quarter.rotation << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  quarter.translation << 10, 0, 0;
  const auto turned = move_ply(file.content(), quarter, "a.ply");
  ASSERT_TRUE(turned.ok()) << turned.error().text();
  EXPECT_EQ(parse_ply(*turned, "a.ply")->vertices[0], Eigen::Vector3d(8, 1, 3));

  const auto rounded = move_ply(file.content(), some_motion(), "a.ply");
  ASSERT_FALSE(rounded.ok());
  EXPECT_EQ(rounded.error().cause, Cause::unsupported);

  quarter.translation.x() = 40000;
  const auto beyond = move_ply(file.content(), quarter, "a.ply");
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().cause, Cause::too_large);
}

TEST_P(PlyMoves, RefusesToLeaveTheRangeOfFloat) {
  PlyFile file(GetParam());
  file.header(test::float_vertices(1));
  for (int i = 0; i < 3; ++i) file.value(PlyType::float32, 3.4e38);
  Rigid3 away;
  away.translation.x() = 1e38;
  const auto moved = move_ply(file.content(), away, "a.ply");
  ASSERT_FALSE(moved.ok());
  EXPECT_EQ(moved.error().cause, Cause::too_large);
}

}  // namespace
}  // namespace pmtr
