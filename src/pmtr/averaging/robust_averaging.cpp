// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/robust_averaging.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pmtr/averaging/choose_joints.h"
#include "pmtr/averaging/components.h"
#include "pmtr/averaging/cycle_votes.h"

namespace pmtr {
namespace {

/// |A - B|^2 (Frobenius) of two rotations at this angle.
double chord2(double angle_deg) {
  const double s = std::sin(angle_deg * M_PI / 360.0);
  return 8 * s * s;
}

/// Truncated least squares, softened: 1 well inside, 0 well outside, and in between.
double gnc_weight(double residual2, double limit2, double sharpness) {
  if (residual2 <= limit2 * sharpness / (sharpness + 1)) return 1;
  if (residual2 >= limit2 * (sharpness + 1) / sharpness) return 0;
  return std::sqrt(limit2 / residual2 * sharpness * (sharpness + 1)) - sharpness;
}

/// Edges without weight that are needed to hold the graph together come back, the best first.
void keep_connected(const PoseGraph& graph, const std::vector<double>& badness, std::vector<double>& weight) {
  DisjointSets sets(graph.nodes);
  for (std::size_t e = 0; e < weight.size(); ++e) {
    if (weight[e] > 0) sets.join(graph.edges[e].a, graph.edges[e].b);
  }
  std::vector<std::size_t> order(weight.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t e, std::size_t f) { return badness[e] < badness[f]; });
  for (const std::size_t e : order) {
    const PoseEdge& edge = graph.edges[e];
    if (weight[e] <= 0 && edge.rotation_weight > 0 && sets.join(edge.a, edge.b)) weight[e] = 1;
  }
}

PoseGraph weighted(const PoseGraph& graph, const std::vector<double>& weight) {
  PoseGraph out = graph;
  for (std::size_t e = 0; e < weight.size(); ++e) out.edges[e].rotation_weight *= weight[e];
  return out;
}

/// 0 for edges that close none of their triangles while the other two edges of some close others.
std::vector<double> weights_by_cycles(const PoseGraph& graph, double tolerance_deg) {
  // The error around a triangle is that of three edges.
  const auto votes = count_cycle_votes(graph, std::sqrt(3.0) * tolerance_deg);
  const bool any =
      std::any_of(votes.begin(), votes.end(), [](const CycleVotes& v) { return v.consistent > 0; });
  std::vector<double> weight(graph.edges.size(), 1.0);
  std::vector<double> badness(graph.edges.size());
  for (std::size_t e = 0; e < weight.size(); ++e) {
    if (any && votes[e].triangles > 0 && votes[e].consistent == 0) weight[e] = 0;
    badness[e] = -graph.edges[e].rotation_weight;
  }
  keep_connected(graph, badness, weight);
  return weight;
}

/// 0 for edges that do not agree with the rotations that most of the weight agrees with. Finds its way
/// through longer cycles than triangles, but takes the square of the nodes.
std::vector<double> weights_by_consensus(const PoseGraph& graph, double tolerance_deg) {
  double largest = 0;
  for (const PoseEdge& edge : graph.edges) largest = std::max(largest, edge.rotation_weight);
  std::vector<Hypothesis> hypotheses;
  for (const PoseEdge& edge : graph.edges) {
    if (edge.rotation_weight <= 0) continue;
    hypotheses.push_back(
        {edge.a, edge.b, {edge.a_from_b.rotation, Eigen::Vector3d::Zero()}, edge.rotation_weight / largest});
  }
  ChooseOptions options;
  options.rotation_tolerance_deg = tolerance_deg;
  const Choice choice = choose_joints(graph.nodes, hypotheses, 1.0, options);
  std::vector<double> weight;
  std::size_t next = 0;
  for (const PoseEdge& edge : graph.edges) {
    weight.push_back(edge.rotation_weight > 0 && choice.agrees[next++] ? 1.0 : 0.0);
  }
  return weight;
}

}  // namespace

Status RobustAveragingOptions::validate() const {
  if (!(inlier_angle_deg > 0 && inlier_angle_deg <= 180)) {
    return invalid_option("inlier_angle_deg is above 0, to 180");
  }
  if (!(sharpening > 1)) return invalid_option("sharpening is above 1");
  if (max_rounds < 1) return invalid_option("max_rounds is at least 1");
  return averaging.validate();
}

Result<RobustAveraging> average_rotations_robustly(const PoseGraph& graph,
                                                   const RobustAveragingOptions& options) {
  PMTR_TRY_STATUS(options.validate());
  PMTR_TRY_STATUS(graph.validate());
  RobustAveraging out;
  const double limit2 = chord2(options.inlier_angle_deg);
  constexpr int consensus_limit = 300;
  std::vector<double> weight = graph.nodes <= consensus_limit
                                   ? weights_by_consensus(graph, options.inlier_angle_deg)
                                   : weights_by_cycles(graph, options.inlier_angle_deg);
  const bool pruned = std::any_of(weight.begin(), weight.end(), [](double w) { return w == 0; });
  PMTR_TRY(out.averaging, average_rotations(weighted(graph, weight), options.averaging));

  double worst = 0;
  for (const double angle : out.averaging.residual_deg) worst = std::max(worst, chord2(angle));
  if (worst > limit2) {
    // Without cycles to go by, the first round is nearly least squares.
    double sharpness = pruned ? 1.0 : limit2 / (2 * worst - limit2);
    while (out.rounds < options.max_rounds) {
      ++out.rounds;
      bool decided = true;
      for (std::size_t e = 0; e < weight.size(); ++e) {
        weight[e] = gnc_weight(chord2(out.averaging.residual_deg[e]), limit2, sharpness);
        decided = decided && (weight[e] == 0 || weight[e] == 1);
      }
      keep_connected(graph, out.averaging.residual_deg, weight);
      PMTR_TRY(out.averaging, average_rotations(weighted(graph, weight), options.averaging));
      if (decided) break;
      sharpness *= options.sharpening;
    }
    // The last word: whole edges only.
    for (std::size_t e = 0; e < weight.size(); ++e) {
      weight[e] = out.averaging.residual_deg[e] <= options.inlier_angle_deg ? 1 : 0;
    }
    keep_connected(graph, out.averaging.residual_deg, weight);
    PMTR_TRY(out.averaging, average_rotations(weighted(graph, weight), options.averaging));
  } else if (pruned) {
    // All agree with the solution of a part of them: all may have their say.
    PMTR_TRY(out.averaging, average_rotations(graph, options.averaging));
    std::fill(weight.begin(), weight.end(), 1.0);
  }
  for (std::size_t e = 0; e < weight.size(); ++e) {
    out.kept.push_back(weight[e] > 0 && graph.edges[e].rotation_weight > 0);
  }
  return out;
}

}  // namespace pmtr
