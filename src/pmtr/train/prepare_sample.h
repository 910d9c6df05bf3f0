// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/dataset/training_pair.h"
#include "pmtr/train/batch_gradient.h"

namespace pmtr {

/// All that can be computed of a pair before the weights are known: pyramids, surface features, truth. The
/// fracture head sees all dense points, or, where that is enough, twice as many as the network does. Uses
/// the calling thread alone: pairs are prepared beside each other.
Result<PairSample> prepare_sample(const TrainingPair& pair, const NetworkOptions& network,
                                  const PairTruthOptions& truth, bool all_dense_points);

/// The inputs of one fragment. The fracture head looks at the first `looked_at` points of the dense cloud
/// (all if fewer): the rest shape the surface features only. The dense cloud is needed where the network has
/// a fracture head or surface input; without one the network's own cloud takes its place.
Result<FragmentSample> prepare_fragment(const PointCloud& cloud, const PointCloud& dense,
                                        const NetworkOptions& network, std::size_t looked_at,
                                        Threads& threads);

}  // namespace pmtr
