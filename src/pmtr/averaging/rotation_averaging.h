// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/averaging/pose_graph.h"
#include "pmtr/core/result.h"

namespace pmtr {

struct RotationAveragingOptions {
  enum class Start { spanning_tree, random };
  Start start = Start::spanning_tree;
  std::uint64_t seed = 0;  ///< of the random start
  /// Dimension to begin with. 3 is enough from a spanning tree; random starts need 5.
  int first_rank = 3;
  /// Where the climb ends. With moderate noise nothing above 5 is ever reached.
  int last_rank = 12;
  /// The smallest eigenvalue may be below zero by this share of the mean degree, for rounding's sake.
  double certificate_tolerance = 1e-8;
  double gradient_tolerance = 1e-11;  ///< per node and mean degree

  static RotationAveragingOptions random_start(std::uint64_t seed);
  Status validate() const;
};

/// Rotations of all nodes, with the proof that there are none better (or the lack of it).
struct RotationAveraging {
  std::vector<Eigen::Matrix3d> world_from_node;
  double cost = 0.0;  ///< 1/2 sum weight |R_b - R_a R_ab|^2 (Frobenius)
  /// No rotations cost less than this.
  double lower_bound = 0.0;
  double min_eigenvalue = 0.0;  ///< of the certificate matrix; about zero at the optimum, in units of weight
  double fourth_eigenvalue = 0.0;  ///< three are zero; this one says how firmly the graph hangs together
  bool optimal = false;
  int rank = 3;                      ///< dimension in which the climb ended
  int steps = 0;                     ///< Newton steps in all
  std::vector<double> residual_deg;  ///< per edge: angle between measurement and result
};

/// Shonan rotation averaging (Dellaert et al. 2020) with a solver of our own: a local minimum among rotations
/// of dimension p; if the certificate says that it is not the best there is, one dimension more and on along
/// the direction in which the cost falls. The graph must be connected. Edges without weight are only
/// measured. The first node is turned to the identity.
Result<RotationAveraging> average_rotations(const PoseGraph& graph, const RotationAveragingOptions& options);

/// Angles between the edges' rotations and those of the nodes, in degrees.
std::vector<double> residual_angles_deg(const PoseGraph& graph,
                                        std::span<const Eigen::Matrix3d> world_from_node);

}  // namespace pmtr
