// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <chrono>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "pmtr/averaging/pose_graph_file.h"
#include "pmtr/averaging/rotation_averaging.h"
#include "support/shared_folder.h"

namespace pmtr {
namespace {

struct KnownGraph {
  const char* file;
  bool unit_weights;  ///< the known values are for weights of 1
  int nodes;
  std::size_t edges;
  double cost_at_identity;
  double optimal_cost;
  double fourth_eigenvalue;  ///< 0: not known
};

// Costs and eigenvalues of an independent solver, confirmed by the values that GTSAM's own tests assert.
constexpr KnownGraph graphs[] = {
    {"toyExample.g2o", false, 5, 6, 1200, 6.0e-12, 100},
    {"Klaus3.g2o", false, 3, 3, 3.0756384, 0.001536992, 74.8},
    {"noisyToyGraph.txt", false, 4, 5, 12.004048, 0.00082111745, 2},
    {"pose3example.txt", false, 5, 6, 181109.15, 10770.90023, 10990},
    {"pose3example-grid.txt", false, 27, 44, 43888.46, 41.05558383, 148.7},
    {"w100.graph", false, 100, 300, 138.83962, 0.0679258041, 0.01319},
    {"sphere2500.txt", true, 2500, 4949, 57.002636, 4.432857886, 0},
    {"sphere_smallnoise.graph", true, 2200, 8647, 106.79194, 3.31257148, 0},
};

PoseGraph load(const KnownGraph& known) {
  auto file = read_pose_graph(test::shared_folder() / "data" / "pose_graphs" / known.file);
  if (!file.ok()) throw std::runtime_error(file.error().text());
  if (known.unit_weights) {
    for (PoseEdge& edge : file->graph.edges) edge.rotation_weight = 1;
  }
  return file->graph;
}

double cost_of(const PoseGraph& graph, const std::vector<Eigen::Matrix3d>& rotations) {
  double sum = 0;
  for (const PoseEdge& edge : graph.edges) {
    sum += edge.rotation_weight / 2 *
           (rotations[static_cast<std::size_t>(edge.b)] -
            rotations[static_cast<std::size_t>(edge.a)] * edge.a_from_b.rotation)
               .squaredNorm();
  }
  return sum;
}

class RotationAveragingGolden : public testing::TestWithParam<KnownGraph> {};

void expect_optimum(const KnownGraph& known, const PoseGraph& graph,
                    const RotationAveragingOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = average_rotations(graph, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ASSERT_TRUE(result.ok()) << result.error().text();
  std::printf("  %-24s %s: cost %.10g, smallest eigenvalue %.2e, fourth %.5g, rank %d, %d steps, %.3f s\n",
              known.file, options.first_rank == 3 ? "tree  " : "random", result->cost, result->min_eigenvalue,
              result->fourth_eigenvalue, result->rank, result->steps, seconds);
  // Six digits; where the optimum is only the rounding of the file's numbers, GTSAM's own tolerance is 1e-4.
  const double tolerance = known.optimal_cost < 1e-9 ? 1e-12 : 5e-7 * known.optimal_cost;
  EXPECT_NEAR(result->cost, known.optimal_cost, tolerance);
  EXPECT_NEAR(cost_of(graph, result->world_from_node), result->cost, 1e-9 * result->cost + 1e-13);
  EXPECT_TRUE(result->optimal);
  EXPECT_LE(result->lower_bound, result->cost * (1 + 1e-9) + 1e-12);
  EXPECT_GE(result->lower_bound, result->cost * (1 - 1e-4) - 1e-6);
  if (known.fourth_eigenvalue > 0) {
    EXPECT_NEAR(result->fourth_eigenvalue, known.fourth_eigenvalue, 2e-3 * known.fourth_eigenvalue);
  }
  if (known.nodes == 2500) {
    EXPECT_LT(seconds, 5.0);
  }
}

TEST_P(RotationAveragingGolden, FileHasWhatIsKnown) {
  PMTR_REQUIRE_SHARED("data/pose_graphs");
  const PoseGraph graph = load(GetParam());
  EXPECT_EQ(graph.nodes, GetParam().nodes);
  EXPECT_EQ(graph.edges.size(), GetParam().edges);
  const std::vector<Eigen::Matrix3d> identity(static_cast<std::size_t>(graph.nodes),
                                              Eigen::Matrix3d::Identity());
  EXPECT_NEAR(cost_of(graph, identity), GetParam().cost_at_identity, 1e-6 * GetParam().cost_at_identity);
}

TEST_P(RotationAveragingGolden, OptimumFromSpanningTree) {
  PMTR_REQUIRE_SHARED("data/pose_graphs");
  expect_optimum(GetParam(), load(GetParam()), {});
}

TEST_P(RotationAveragingGolden, OptimumFromRandomStarts) {
  PMTR_REQUIRE_SHARED("data/pose_graphs");
  const PoseGraph graph = load(GetParam());
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    expect_optimum(GetParam(), graph, RotationAveragingOptions::random_start(seed));
    if (graph.nodes > 1000) break;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RotationAveragingGolden, testing::ValuesIn(graphs), [](const auto& known) {
  std::string name(known.param.file);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace pmtr
