// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/rotation_averaging.h"

#include <algorithm>

#include "pmtr/averaging/components.h"
#include "pmtr/averaging/connection_laplacian.h"
#include "pmtr/averaging/rounding.h"
#include "pmtr/averaging/smallest_eigenvalue.h"
#include "pmtr/averaging/spanning_tree.h"
#include "pmtr/averaging/trust_region.h"

namespace pmtr {
namespace {

Lifted first_point(const PoseGraph& graph, const RotationAveragingOptions& options) {
  if (options.start == RotationAveragingOptions::Start::random) {
    Random random(options.seed);
    return random_lifted(graph.nodes, options.first_rank, random);
  }
  std::vector<Eigen::Matrix3d> rotations;
  for (const Rigid3& pose : poses_along_forest(graph, heaviest_forest(graph)))
    rotations.push_back(pose.rotation);
  return lift(rotations, options.first_rank);
}

/// One dimension more, and along it down the eigenvector as far as the cost falls.
Lifted climb(const ConnectionLaplacian& laplacian, const Lifted& y, const Eigen::VectorXd& direction) {
  Lifted wider = Lifted::Zero(y.rows(), y.cols() + 1);
  wider.leftCols(y.cols()) = y;
  const double cost = laplacian.cost(y);
  double best_cost = INFINITY;
  Lifted best = wider;
  double size = 1.0 / direction.cwiseAbs().maxCoeff();
  for (int k = 0; k < 40; ++k, size /= 2) {
    Lifted moved = wider;
    moved.col(y.cols()) = size * direction;
    moved = on_manifold(moved);
    const double moved_cost = laplacian.cost(moved);
    if (moved_cost < best_cost) {
      best_cost = moved_cost;
      best = moved;
    } else if (best_cost < cost) {
      break;
    }
  }
  return best;
}

}  // namespace

RotationAveragingOptions RotationAveragingOptions::random_start(std::uint64_t seed) {
  RotationAveragingOptions options;
  options.start = Start::random;
  options.seed = seed;
  options.first_rank = 5;
  return options;
}

Status RotationAveragingOptions::validate() const {
  if (first_rank < 3 || last_rank < first_rank || last_rank > 100) {
    return Error{Cause::invalid_option, "3 <= first_rank <= last_rank <= 100", {}};
  }
  if (!(certificate_tolerance > 0) || !(gradient_tolerance > 0)) {
    return Error{Cause::invalid_option, "tolerances are positive", {}};
  }
  return {};
}

std::vector<double> residual_angles_deg(const PoseGraph& graph,
                                        std::span<const Eigen::Matrix3d> world_from_node) {
  std::vector<double> angles;
  angles.reserve(graph.edges.size());
  for (const PoseEdge& edge : graph.edges) {
    const Eigen::Matrix3d a_from_b = world_from_node[static_cast<std::size_t>(edge.a)].transpose() *
                                     world_from_node[static_cast<std::size_t>(edge.b)];
    angles.push_back(rotation_angle_deg(edge.a_from_b.rotation, a_from_b));
  }
  return angles;
}

Result<RotationAveraging> average_rotations(const PoseGraph& graph, const RotationAveragingOptions& options) {
  PMTR_TRY_STATUS(options.validate());
  PMTR_TRY_STATUS(graph.validate());
  if (graph.nodes == 0) return Error{Cause::empty, "a graph without nodes", {}};
  const std::vector<int> components = connected_components(graph);
  if (std::any_of(components.begin(), components.end(), [](int c) { return c != 0; })) {
    return Error{Cause::degenerate, "the graph is not connected; average its components one by one", {}};
  }
  RotationAveraging out;
  if (graph.nodes == 1) {
    out.world_from_node = {Eigen::Matrix3d::Identity()};
    out.optimal = true;
    return out;
  }

  const ConnectionLaplacian laplacian(graph);
  const double tolerance = options.certificate_tolerance * laplacian.mean_degree();
  TrustRegionOptions local;
  local.gradient_tolerance = options.gradient_tolerance;
  TrustRegionResult at = minimise_on_manifold(laplacian, first_point(graph, options), local);
  out.steps = at.steps;
  SmallestEigenvalue eigen;
  while (true) {
    eigen = smallest_eigenvalue(laplacian.certificate_matrix(at.y), tolerance);
    out.rank = static_cast<int>(at.y.cols());
    if (eigen.shift <= tolerance || out.rank == options.last_rank) break;
    at = minimise_on_manifold(laplacian, climb(laplacian, at.y, eigen.vector), local);
    out.steps += at.steps;
  }
  // tr(Y^T Y) = 3 N for every Y, so an eigenvalue of at least -shift leaves no more than this below the cost.
  const double slack = 1.5 * graph.nodes * eigen.shift;
  out.lower_bound = std::max(0.0, at.cost - slack) * laplacian.scale();

  out.world_from_node = round_to_rotations(at.y).rotations;
  if (out.rank > 3) {
    // Rounding loses the last digits, or more where the relaxation was not tight: settle among rotations.
    at = minimise_on_manifold(laplacian, lift(out.world_from_node, 3), local);
    out.steps += at.steps;
    eigen = smallest_eigenvalue(laplacian.certificate_matrix(at.y), tolerance);
    out.world_from_node = round_to_rotations(at.y).rotations;
  }
  out.cost = laplacian.cost(lift(out.world_from_node, 3)) * laplacian.scale();
  out.min_eigenvalue = eigen.value * laplacian.scale();
  out.fourth_eigenvalue = eigen.fourth * laplacian.scale();
  out.optimal = eigen.shift <= tolerance;
  const Eigen::Matrix3d first_from_world = out.world_from_node[0].transpose();
  for (Eigen::Matrix3d& rotation : out.world_from_node) rotation = first_from_world * rotation;
  out.residual_deg = residual_angles_deg(graph, out.world_from_node);
  return out;
}

}  // namespace pmtr
