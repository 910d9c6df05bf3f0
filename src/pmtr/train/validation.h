// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/core/listener.h"
#include "pmtr/dataset/training_pair.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/pose/pose_search.h"
#include "pmtr/train/pair_truth.h"
#include "pmtr/train/validation_scores.h"

namespace pmtr {

struct ValidationOptions {
  PairTruthOptions truth;
  PoseSearchOptions search;
};

/// All are shares or degrees: fracture_auc (over all points), coarse_inliers (of the best superpoint matches,
/// how many overlap), recall_10_005 and recall_5_002 (rotation in degrees and translation below both),
/// median_deg. What "best" means: the recall, and the area under the curve to break ties.
ValidationScores validate_network(const PmtrNetwork& network, std::span<const TrainingPair> pairs,
                                  const ValidationOptions& options, Threads& threads,
                                  const Listener& listener);

/// Angle between two rotations in degrees.
double rotation_degrees(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b);

}  // namespace pmtr
