// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/rotation_averaging.h"

#include <cmath>

#include <gtest/gtest.h>

#include "pmtr/averaging/smallest_eigenvalue.h"
#include "pmtr/averaging/translations.h"
#include "pmtr/core/random.h"

namespace pmtr {
namespace {

Eigen::Matrix3d yaw(double degrees) {
  return Eigen::AngleAxisd(degrees * M_PI / 180, Eigen::Vector3d::UnitZ()).toRotationMatrix();
}

PoseEdge turn(int a, int b, const Eigen::Matrix3d& a_from_b, double weight = 1) {
  return {a, b, {a_from_b, Eigen::Vector3d::Zero()}, weight, weight};
}

TEST(RotationAveraging, TwoQuarterTurns) {
  const PoseGraph graph{3, {turn(0, 1, yaw(90)), turn(1, 2, yaw(90))}};
  for (const auto& options : {RotationAveragingOptions{}, RotationAveragingOptions::random_start(4)}) {
    const auto result = average_rotations(graph, options);
    ASSERT_TRUE(result.ok());
    EXPECT_NEAR(result->cost, 0, 1e-15);
    EXPECT_TRUE(result->optimal);
    EXPECT_NEAR(rotation_angle_deg(result->world_from_node[2], yaw(180)), 0, 1e-5);
  }
}

TEST(RotationAveraging, TriangleOfHeadings) {
  const PoseGraph graph{3, {turn(0, 1, yaw(90)), turn(1, 2, yaw(-90)), turn(0, 2, yaw(0))}};
  const auto result = average_rotations(graph, RotationAveragingOptions::random_start(1));
  ASSERT_TRUE(result.ok());
  const double headings[] = {0, 90, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(rotation_angle_deg(result->world_from_node[i], yaw(headings[i])), 0, 1e-5);
  }
}

TEST(RotationAveraging, SharesAnErrorByWeight) {
  // A triangle that does not close by 6 degrees. Small errors add up and share out as 1/weight: 1, 1 and 4.
  const PoseGraph graph{3, {turn(0, 1, yaw(30), 2), turn(1, 2, yaw(30), 2), turn(0, 2, yaw(66), 0.5)}};
  const auto result = average_rotations(graph, {});
  ASSERT_TRUE(result.ok());
  EXPECT_NEAR(result->residual_deg[0], 1, 1e-2);
  EXPECT_NEAR(result->residual_deg[1], 1, 1e-2);
  EXPECT_NEAR(result->residual_deg[2], 4, 2e-2);
  // 4 k sin^2(t/2) for each edge.
  const double one = std::pow(std::sin(M_PI / 360), 2);
  const double four = std::pow(std::sin(4 * M_PI / 360), 2);
  EXPECT_NEAR(result->cost, 4 * (2 * one + 2 * one + 0.5 * four), 1e-6);
  EXPECT_TRUE(result->optimal);
}

TEST(RotationAveraging, WeightsHaveNoUnit) {
  Random random(9);
  PoseGraph graph{6, {}};
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < i; ++j) graph.edges.push_back(turn(i, j, random.rotation(), random.uniform(0.5, 2)));
  }
  const auto result = average_rotations(graph, {});
  ASSERT_TRUE(result.ok());
  for (const double unit : {1e-9, 1e9}) {
    PoseGraph other = graph;
    for (PoseEdge& edge : other.edges) edge.rotation_weight *= unit;
    const auto scaled = average_rotations(other, {});
    ASSERT_TRUE(scaled.ok());
    EXPECT_NEAR(scaled->cost / unit, result->cost, 1e-8 * result->cost);
    EXPECT_EQ(scaled->optimal, result->optimal);
  }
}

TEST(RotationAveraging, ClimbsOutOfLocalMinima) {
  // A ring of parts that all stand alike. In three dimensions many starts end wound up or mirrored.
  const int n = 16;
  PoseGraph ring{n, {}};
  for (int i = 0; i < n; ++i) ring.edges.push_back(turn(i, (i + 1) % n, Eigen::Matrix3d::Identity()));
  int climbed = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto options = RotationAveragingOptions::random_start(seed);
    options.first_rank = 3;
    const auto result = average_rotations(ring, options);
    ASSERT_TRUE(result.ok());
    EXPECT_TRUE(result->optimal) << seed;
    EXPECT_NEAR(result->cost, 0, 1e-12) << seed;
    climbed += result->rank > 3 ? 1 : 0;
    // Held down to three dimensions, the certificate must not call these optimal.
    options.last_rank = 3;
    const auto stuck = average_rotations(ring, options);
    ASSERT_TRUE(stuck.ok());
    EXPECT_EQ(stuck->optimal, stuck->cost < 1e-9) << seed;
    EXPECT_LT(stuck->lower_bound, 1e-6);
  }
  EXPECT_GT(climbed, 0);
}

TEST(RotationAveraging, OneNodeAndBadGraphs) {
  const auto one = average_rotations(PoseGraph{1, {}}, {});
  ASSERT_TRUE(one.ok());
  EXPECT_TRUE(one->world_from_node[0].isIdentity());
  EXPECT_EQ(average_rotations(PoseGraph{0, {}}, {}).error().cause, Cause::empty);
  EXPECT_EQ(average_rotations(PoseGraph{3, {turn(0, 1, yaw(3))}}, {}).error().cause, Cause::degenerate);
  EXPECT_EQ(average_rotations(PoseGraph{2, {turn(0, 2, yaw(3))}}, {}).error().cause, Cause::malformed);
  EXPECT_EQ(average_rotations(PoseGraph{2, {turn(0, 1, 2 * yaw(3))}}, {}).error().cause, Cause::malformed);
  EXPECT_EQ(average_rotations(PoseGraph{2, {turn(0, 1, yaw(3), NAN)}}, {}).error().cause, Cause::malformed);
  RotationAveragingOptions options;
  options.first_rank = 2;
  EXPECT_EQ(average_rotations(PoseGraph{1, {}}, options).error().cause, Cause::invalid_option);
}

TEST(SmallestEigenvalue, LargeMatrixAsTheSmallOneSays) {
  // A chain: 2 - 2 cos(pi k / (n + 1)), shifted down.
  for (const int n : {50, 500}) {
    for (const double down : {0.0, 0.5}) {
      Eigen::SparseMatrix<double> chain(n, n);
      for (int i = 0; i < n; ++i) {
        chain.insert(i, i) = 2 - down;
        if (i > 0) chain.insert(i, i - 1) = -1;
        if (i + 1 < n) chain.insert(i, i + 1) = -1;
      }
      const auto found = smallest_eigenvalue(chain, 1e-6);
      const auto known = [&](int k) { return 2 - 2 * std::cos(M_PI * k / (n + 1)) - down; };
      EXPECT_NEAR(found.value, known(1), 1e-4) << n;
      EXPECT_NEAR(found.fourth, known(4), 1e-3) << n;
      EXPECT_GE(found.shift, -known(1) - 1e-9);
      EXPECT_NEAR(found.vector.dot(chain * found.vector), found.value, 1e-9);
    }
  }
}

TEST(Translations, WeightedMeanOfTwoEdges) {
  PoseGraph graph{2, {turn(0, 1, yaw(0), 1), turn(1, 0, yaw(0), 3)}};
  graph.edges[0].a_from_b.translation = {1, 0, 0};
  graph.edges[1].a_from_b.translation = {-2, 0, 0};  // from the other side
  const std::vector<Eigen::Matrix3d> rotations(2, Eigen::Matrix3d::Identity());
  const auto result = average_translations(graph, rotations);
  ASSERT_TRUE(result.ok());
  EXPECT_NEAR(result->world_from_node[1].x(), (1 * 1 + 3 * 2) / 4.0, 1e-12);
  EXPECT_NEAR(result->residual[0], 0.75, 1e-12);
  EXPECT_NEAR(result->residual[1], 0.25, 1e-12);
}

TEST(Translations, ExactPosesComeBack) {
  Random random(2);
  std::vector<Rigid3> poses(9);
  for (Rigid3& pose : poses) {
    pose.rotation = random.rotation();
    pose.translation = {random.normal(), random.normal(), random.normal()};
  }
  PoseGraph graph{9, {}};
  std::vector<Eigen::Matrix3d> rotations;
  for (int i = 0; i < 9; ++i) {
    rotations.push_back(poses[static_cast<std::size_t>(i)].rotation);
    for (int j = i + 1; j < 9; j += 2) {
      graph.edges.push_back(
          {i, j, poses[static_cast<std::size_t>(i)].inverse() * poses[static_cast<std::size_t>(j)], 1, 2});
    }
  }
  const auto result = average_translations(graph, rotations);
  ASSERT_TRUE(result.ok());
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR((result->world_from_node[i] - poses[i].translation + poses[0].translation).norm(), 0, 1e-12);
  }
  for (PoseEdge& edge : graph.edges) edge.translation_weight = edge.a == 0 || edge.b == 0 ? 0 : 1;
  EXPECT_EQ(average_translations(graph, rotations).error().cause, Cause::degenerate);
}

}  // namespace
}  // namespace pmtr
