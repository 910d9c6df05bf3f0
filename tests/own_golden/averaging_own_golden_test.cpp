// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Averaging against the optimum that generate_averaging.cpp found by other means.
#include <gtest/gtest.h>

#include "own_golden/value_file.h"
#include "pmtr/averaging/pose_graph_file.h"
#include "pmtr/averaging/robust_averaging.h"
#include "pmtr/averaging/translations.h"

namespace pmtr {
namespace {

// The solver stops at a gradient of 1e-11 per node and mean degree; divided by the fourth eigenvalue, a third
// of the mean degree here, that leaves angles of about 1e-10. The cost is flat at the optimum: only rounding
// is left.
constexpr double angle_tolerance = 1e-8;
constexpr double cost_tolerance = 1e-12;

struct Optimum {
  test::ValueFile values{"averaging.safetensors"};
  PoseGraph graph = read_pose_graph(test::own_golden_folder() / "graph.g2o")->graph;
  std::vector<double> figures = values.get<double>("cost_and_fourth_eigenvalue");

  void expect_rotations(const std::vector<Eigen::Matrix3d>& found) const {
    const auto flat = values.get<double>("rotations_by_column");
    ASSERT_EQ(9 * found.size(), flat.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Eigen::Matrix3d expected = Eigen::Map<const Eigen::Matrix3d>(&flat[9 * i]);
      EXPECT_LT((found[i] - expected).norm(), angle_tolerance) << "node " << i;
    }
  }
};

TEST(AveragingOwnGolden, the_optimum_from_every_start) {
  const Optimum optimum;
  std::vector<RotationAveragingOptions> starts{{}};
  for (const std::uint64_t seed : {1U, 2U, 3U})
    starts.push_back(RotationAveragingOptions::random_start(seed));
  for (const RotationAveragingOptions& options : starts) {
    const auto result = average_rotations(optimum.graph, options);
    ASSERT_TRUE(result.ok()) << result.error().text();
    EXPECT_TRUE(result->optimal);
    EXPECT_NEAR(result->cost, optimum.figures[0], cost_tolerance * optimum.figures[0]);
    EXPECT_NEAR(result->fourth_eigenvalue, optimum.figures[1], angle_tolerance * optimum.figures[1]);
    optimum.expect_rotations(result->world_from_node);
  }
}

TEST(AveragingOwnGolden, translations) {
  const Optimum optimum;
  const auto rotations = average_rotations(optimum.graph, {});
  ASSERT_TRUE(rotations.ok());
  const auto result = average_translations(optimum.graph, rotations->world_from_node);
  ASSERT_TRUE(result.ok()) << result.error().text();
  const auto flat = optimum.values.get<double>("translations");
  ASSERT_EQ(3 * result->world_from_node.size(), flat.size());
  for (std::size_t i = 0; i < result->world_from_node.size(); ++i)
    EXPECT_LT((result->world_from_node[i] - Eigen::Map<const Eigen::Vector3d>(&flat[3 * i])).norm(), 1e-7)
        << i;
}

TEST(AveragingOwnGolden, wrong_edges_do_not_move_the_optimum) {
  const Optimum optimum;
  PoseGraph graph = optimum.graph;
  PoseEdge wrong = graph.edges[0];
  wrong.b = 5;
  wrong.a_from_b.rotation = Eigen::AngleAxisd(2.5, Eigen::Vector3d(1, 2, 2) / 3.0).toRotationMatrix();
  graph.edges.push_back(wrong);
  RobustAveragingOptions options;
  options.inlier_angle_deg = 45.0;  // the right edges are off by up to about 20
  const auto result = average_rotations_robustly(graph, options);
  ASSERT_TRUE(result.ok()) << result.error().text();
  for (std::size_t k = 0; k < graph.edges.size(); ++k)
    EXPECT_EQ(result->kept[k], k + 1 < graph.edges.size()) << k;
  EXPECT_NEAR(result->averaging.cost, optimum.figures[0], cost_tolerance * optimum.figures[0]);
  optimum.expect_rotations(result->averaging.world_from_node);
}

}  // namespace
}  // namespace pmtr
