// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include <Eigen/Core>

#include "pmtr/core/rigid3.h"

namespace pmtr {

/// A pose from weighted point pairs, and how well they determine it.
struct ProcrustesFit {
  Rigid3 a_from_b;
  /// Singular values of the weighted covariance, largest first. A rotation needs two that are well above
  /// zero: points on one line leave the turn about that line open.
  Eigen::Vector3d spread = Eigen::Vector3d::Zero();

  /// sigma2 / sigma1; 0 for points on a line or fewer than three.
  double rank_ratio() const { return spread[0] > 0.0 ? spread[1] / spread[0] : 0.0; }
};

/// Minimises sum_i weight_i |a_i - (R b_i + t)|^2. Weights are normalised to sum 1; all zero gives the
/// identity with no spread.
ProcrustesFit fit_procrustes(std::span<const Eigen::Vector3d> a, std::span<const Eigen::Vector3d> b,
                             std::span<const double> weights);

}  // namespace pmtr
