// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/averaging/pose_graph.h"

namespace pmtr {

struct TranslationAveraging {
  std::vector<Eigen::Vector3d> world_from_node;  ///< the first node is at the origin
  std::vector<double> residual;                  ///< per edge: |t_b - t_a - R_a t_ab|
};

/// Minimises sum weight |t_b - t_a - R_a t_ab|^2 for known rotations: three sparse systems with one matrix.
/// The edges with translation weight must connect the graph.
Result<TranslationAveraging> average_translations(const PoseGraph& graph,
                                                  std::span<const Eigen::Matrix3d> world_from_node);

}  // namespace pmtr
