// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/robust_averaging.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "pmtr/averaging/components.h"
#include "pmtr/averaging/cycle_votes.h"
#include "pmtr/averaging/spanning_tree.h"
#include "pmtr/core/random.h"

namespace pmtr {
namespace {

struct NoisyGraph {
  PoseGraph graph;
  std::vector<Eigen::Matrix3d> truth;
  std::vector<bool> right;  ///< per edge
};

/// All pairs of n nodes; a share of the edges is any rotation, but each node keeps two right ones.
NoisyGraph noisy_graph(int n, double wrong_share, std::uint64_t seed) {
  Random random(seed);
  NoisyGraph out;
  out.graph.nodes = n;
  for (int i = 0; i < n; ++i) out.truth.push_back(random.rotation());
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      PoseEdge edge{i, j, {}, random.uniform(0.5, 1.5), 1};
      const Eigen::Vector3d axis(random.normal(), random.normal(), random.normal());
      edge.a_from_b.rotation =
          out.truth[static_cast<std::size_t>(i)].transpose() * out.truth[static_cast<std::size_t>(j)] *
          Eigen::AngleAxisd(0.02 * random.normal(), axis.normalized()).toRotationMatrix();
      out.graph.edges.push_back(edge);
      out.right.push_back(true);
    }
  }
  std::vector<int> right_at(static_cast<std::size_t>(n), n - 1);
  auto wrong_left = static_cast<int>(wrong_share * static_cast<double>(out.right.size()));
  for (int attempt = 0; attempt < 10000 && wrong_left > 0; ++attempt) {
    const std::size_t e = random.below(out.right.size());
    PoseEdge& edge = out.graph.edges[e];
    int& at_a = right_at[static_cast<std::size_t>(edge.a)];
    int& at_b = right_at[static_cast<std::size_t>(edge.b)];
    if (!out.right[e] || at_a <= 2 || at_b <= 2) continue;
    edge.a_from_b.rotation = random.rotation();
    out.right[e] = false;
    --at_a, --at_b, --wrong_left;
  }
  return out;
}

double worst_error_deg(const NoisyGraph& noisy, const std::vector<Eigen::Matrix3d>& found) {
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Eigen::Matrix3d wanted = noisy.truth[0].transpose() * noisy.truth[i];
    worst = std::max(worst, rotation_angle_deg(found[0].transpose() * found[i], wanted));
  }
  return worst;
}

TEST(RobustAveraging, WrongEdgesHaveNoSay) {
  for (const auto& [share, least] : {std::pair{0.0, 20}, {0.2, 20}, {0.5, 18}}) {
    int good = 0;
    int plain_good = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const NoisyGraph noisy = noisy_graph(8, share, seed);
      const auto result = average_rotations_robustly(noisy.graph, {});
      ASSERT_TRUE(result.ok());
      const bool found = worst_error_deg(noisy, result->averaging.world_from_node) < 4;
      good += found ? 1 : 0;
      if (found) {
        EXPECT_TRUE(result->averaging.optimal);
        // A right edge is dropped only by accident of noise; a wrong one is never kept.
        for (std::size_t e = 0; e < noisy.right.size(); ++e) EXPECT_EQ(result->kept[e], noisy.right[e]) << e;
      }
      plain_good += worst_error_deg(noisy, average_rotations(noisy.graph, {})->world_from_node) < 4 ? 1 : 0;
    }
    std::printf("  %.0f %% wrong: %d of 20 found, %d by plain averaging\n", 100 * share, good, plain_good);
    EXPECT_GE(good, least) << share;
    if (share >= 0.2) {
      EXPECT_LT(plain_good, 10);  // that is what the robustness is for
    }
  }
}

TEST(RobustAveraging, LongStripGoesByItsTriangles) {
  Random random(6);
  NoisyGraph noisy;
  const int n = 320;
  noisy.graph.nodes = n;
  for (int i = 0; i < n; ++i) noisy.truth.push_back(random.rotation());
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < std::min(n, i + 5); ++j) {
      const bool right = random.uniform() > 0.05;
      const Eigen::Matrix3d a_from_b =
          noisy.truth[static_cast<std::size_t>(i)].transpose() * noisy.truth[static_cast<std::size_t>(j)];
      noisy.graph.edges.push_back(
          {i, j, {right ? a_from_b : random.rotation(), Eigen::Vector3d::Zero()}, 1, 1});
      noisy.right.push_back(right);
    }
  }
  const auto result = average_rotations_robustly(noisy.graph, {});
  ASSERT_TRUE(result.ok());
  EXPECT_LT(worst_error_deg(noisy, result->averaging.world_from_node), 1e-4);
  EXPECT_EQ(result->kept, noisy.right);
}

TEST(RobustAveraging, ABridgeIsKept) {
  PoseGraph graph{4, {}};
  const Eigen::Matrix3d half = Eigen::AngleAxisd(3, Eigen::Vector3d::UnitX()).toRotationMatrix();
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {0, 2}}) graph.edges.push_back({a, b, {}, 1, 1});
  graph.edges.push_back({2, 3, {half, Eigen::Vector3d::Zero()}, 0.01, 1});
  const auto result = average_rotations_robustly(graph, {});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->kept[3]);
  EXPECT_NEAR(result->averaging.residual_deg[3], 0, 1e-6);
}

TEST(CycleVotes, CountsTrianglesThatClose) {
  const NoisyGraph noisy = noisy_graph(4, 0.0, 1);
  PoseGraph graph = noisy.graph;
  graph.edges[0].a_from_b.rotation *= Eigen::AngleAxisd(2, Eigen::Vector3d::UnitY()).toRotationMatrix();
  const auto votes = count_cycle_votes(graph, 15);
  ASSERT_EQ(votes.size(), 6U);
  EXPECT_EQ(votes[0].triangles, 2);
  EXPECT_EQ(votes[0].consistent, 0);
  EXPECT_EQ(votes[5].triangles, 2);  // nodes 2 and 3: opposite
  EXPECT_EQ(votes[5].consistent, 2);
  EXPECT_EQ(votes[1].consistent, 1);
}

TEST(Components, LargestFirstAndEdgesWithoutWeightDoNotCount) {
  const PoseGraph graph{7, {{5, 1, {}, 1, 1}, {2, 5, {}, 1, 1}, {0, 4, {}, 1, 1}, {0, 1, {}, 0, 1}}};
  EXPECT_EQ(connected_components(graph), (std::vector<int>{1, 0, 0, 2, 1, 0, 3}));
  const Subgraph sub = component_subgraph(graph, connected_components(graph), 0);
  EXPECT_EQ(sub.nodes, (std::vector<int>{1, 2, 5}));
  EXPECT_EQ(sub.edges, (std::vector<int>{0, 1}));
  EXPECT_EQ(sub.graph.edges[0].a, 2);
  EXPECT_EQ(sub.graph.edges[1].a, 1);
}

TEST(SpanningTree, HeaviestEdgesAndTheirPoses) {
  PoseGraph graph{3, {{0, 1, {}, 1, 1}, {1, 2, {}, 3, 1}, {2, 0, {}, 2, 1}}};
  graph.edges[1].a_from_b.translation = {1, 0, 0};
  graph.edges[2].a_from_b.translation = {0, 5, 0};
  EXPECT_EQ(heaviest_forest(graph), (std::vector<int>{1, 2}));
  const auto poses = poses_along_forest(graph, {1, 2});
  EXPECT_EQ(poses[0].translation, Eigen::Vector3d(0, 0, 0));
  EXPECT_EQ(poses[2].translation, Eigen::Vector3d(0, -5, 0));
  EXPECT_EQ(poses[1].translation, Eigen::Vector3d(-1, -5, 0));
}

}  // namespace
}  // namespace pmtr
