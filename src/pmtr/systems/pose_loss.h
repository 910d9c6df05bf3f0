// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/systems/system.h"

// What is wrong with poses. Means are over the parts of an object first, then over objects: an object of many
// parts counts as much as one of two.
namespace pmtr {

/// For each row of `from` [n, 3] the nearest row of `to` that belongs to the same group, [n]. Groups are
/// consecutive rows; `sizes` has those of both. Coordinates are finite.
torch::Tensor nearest_rows_by_group(const torch::Tensor& from, const torch::Tensor& to,
                                    const std::vector<std::int64_t>& sizes, Threads& threads);

/// Squared distance to the nearest point of the other cloud, both ways added, mean over the points of each
/// group: [groups]. The gradient takes who is nearest as given.
torch::Tensor chamfer_by_group(const torch::Tensor& a, const torch::Tensor& b,
                               const std::vector<std::int64_t>& sizes, Threads& threads);

/// Weights of the terms of the loss that Global, LSTM and DGL share.
struct CommonLossWeights {
  double translation = 1.0;       ///< squared distance of translations
  double rotated_chamfer = 10.0;  ///< Chamfer distance of each part as it is turned
  double shape_chamfer = 10.0;    ///< Chamfer distance of the whole object
  double quaternion = 0.2;        ///< 1 - |q . q*|
  double rotated_points = 1.0;    ///< mean squared distance between the same points as they are turned
};
SystemLoss common_loss(const PartPoses& found, const PartPoses& truth, const PartBatch& batch,
                       Threads& threads, const CommonLossWeights& weights = {});

/// Of NSM: mean squared distance between the same posed points, squared differences of quaternions (the sign
/// that is nearer) and of translations, as means over their numbers.
SystemLoss nsm_loss(const PartPoses& found, const PartPoses& truth, const PartBatch& batch);

/// Of Wu et al.: the angle between the rotations, in radians, and the squared distance of translations.
SystemLoss angle_loss(const PartPoses& found, const PartPoses& truth, const PartBatch& batch);

}  // namespace pmtr
