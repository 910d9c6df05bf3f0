// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/pose_graph_file.h"

#include <cmath>

#include <gtest/gtest.h>

namespace pmtr {
namespace {

TEST(PoseGraphFile, ReadsG2oWithItsOwnNumbers) {
  const auto file = parse_pose_graph(
      "# a comment\n"
      "VERTEX_SE3:QUAT 70 0 0 0 0 0 0 1\r\n"
      "EDGE_SE3:QUAT 70 9 1 2 3 0 0 1 1 8 0 0 0 0 0 8 0 0 0 0 8 0 0 0 5 0 0 5 0 5\n"
      "FIX 70\n"
      "\n"
      "EDGE_SE3:QUAT 9 100 1 2 3 0 0 0 2",
      "a.g2o");
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(file->ids, (std::vector<std::int64_t>{9, 70, 100}));
  EXPECT_EQ(file->ignored_lines, 1);
  ASSERT_EQ(file->graph.edges.size(), 2U);
  const PoseEdge& edge = file->graph.edges[0];
  EXPECT_EQ(edge.a, 1);
  EXPECT_EQ(edge.b, 0);
  EXPECT_EQ(edge.a_from_b.translation, Eigen::Vector3d(1, 2, 3));
  Eigen::Matrix3d quarter;
  quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  EXPECT_TRUE(edge.a_from_b.rotation.isApprox(quarter, 1e-12));
  EXPECT_EQ(edge.rotation_weight, 5);
  EXPECT_EQ(edge.translation_weight, 8);
  EXPECT_EQ(file->graph.edges[1].rotation_weight, 1);
  EXPECT_TRUE(file->graph.validate().ok());
}

TEST(PoseGraphFile, ReadsToroAndFlatGraphs) {
  const auto file = parse_pose_graph(
      "EDGE3 0 1 0 0 0 0.1 0.2 0.3 10 0 0 0 0 0 10 0 0 0 0 10 0 0 0 100 0 0 100 0 25\n"
      "EDGE2 1 2 4 5 0.5 2 0 2 7 0 0\n"
      "EDGE_SE2 2 3 4 5 0.5 2 0 0 2 0 7\n",
      "a.graph");
  ASSERT_TRUE(file.ok()) << file.error().text();
  const auto& edges = file->graph.edges;
  EXPECT_EQ(file->anisotropic_edges, 1);
  EXPECT_NEAR(edges[0].rotation_weight, 3 / (0.01 + 0.01 + 0.04), 1e-9);
  // Rz(yaw) Ry(pitch) Rx(roll): the first column does not see the roll.
  EXPECT_NEAR(edges[0].a_from_b.rotation(2, 0), -std::sin(0.2), 1e-12);
  EXPECT_NEAR(edges[0].a_from_b.rotation(1, 0), std::cos(0.2) * std::sin(0.3), 1e-12);
  for (const std::size_t e : {1U, 2U}) {
    EXPECT_EQ(edges[e].rotation_weight, 7);
    EXPECT_EQ(edges[e].translation_weight, 2);
    EXPECT_NEAR(edges[e].a_from_b.rotation(1, 0), std::sin(0.5), 1e-12);
  }
}

TEST(PoseGraphFile, SaysWhereItIsWrong) {
  const std::pair<const char*, Cause> cases[] = {
      {"EDGE2 0 1 2\n", Cause::truncated},
      {"EDGE2 0 1 2 3 4 5\n", Cause::malformed},
      {"EDGE2 0 -1 2 3 4\n", Cause::malformed},
      {"EDGE2 0 99999999999999999999 2 3 4\n", Cause::malformed},
      {"EDGE2 0 0 2 3 4\n", Cause::malformed},
      {"EDGE2 0 1 2 x 4\n", Cause::malformed},
      {"EDGE2 0 1 2 inf 4\n", Cause::not_finite},
      {"EDGE2 0 1 2 3 4 1 0 1 -7 0 0\n", Cause::malformed},
      {"EDGE_SE3:QUAT 0 1 0 0 0 0 0 0 0\n", Cause::malformed},
  };
  for (const auto& [line, cause] : cases) {
    const auto file = parse_pose_graph(std::string("VERTEX2 0 0 0 0\n") + line, "f");
    ASSERT_FALSE(file.ok()) << line;
    EXPECT_EQ(file.error().cause, cause) << line;
    EXPECT_EQ(file.error().place.line, 2U) << line;
  }
  EXPECT_EQ(parse_pose_graph("", "f").error().cause, Cause::empty);
  EXPECT_EQ(parse_pose_graph("HELLO\n", "f").error().cause, Cause::empty);
  EXPECT_EQ(read_pose_graph("/nowhere.g2o").error().cause, Cause::unreadable);
}

}  // namespace
}  // namespace pmtr
