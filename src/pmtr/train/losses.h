// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/network/tensor.h"
#include "pmtr/train/loss_options.h"
#include "pmtr/train/pair_truth.h"

namespace pmtr {

/// What the losses on a pair look at.
struct PairFeatures {
  torch::Tensor source_superpoints;  ///< [source superpoints, channels], unit rows
  torch::Tensor target_superpoints;  ///< [target superpoints, channels], unit rows
  torch::Tensor source_points;       ///< [source points, channels]
  torch::Tensor target_points;       ///< [target points, channels]
};

/// Each before its weight is applied.
struct MatchLoss {
  torch::Tensor coarse;
  torch::Tensor fine;
  torch::Tensor points;
};
struct ProxyLoss {
  torch::Tensor orthonormal;
  torch::Tensor zero;
};

/// Overlap-aware circle loss on unit superpoint features.
torch::Tensor coarse_loss(const torch::Tensor& source, const torch::Tensor& target,
                          const std::vector<PatchOverlap>& overlaps,
                          const kernels::CircleLossOptions& options, Threads& threads);

/// InfoNCE on unit superpoint features: for each superpoint that overlaps others, the negative log of their
/// share in a softmax over all superpoints of the partner, both ways; 0 where nothing overlaps.
torch::Tensor contrast_loss(const torch::Tensor& source, const torch::Tensor& target,
                            const std::vector<PatchOverlap>& overlaps, Threads& threads);

/// Mean negative log share of true partners, and of the dustbin for points without one.
torch::Tensor fine_loss(const torch::Tensor& source, const torch::Tensor& target,
                        const torch::Tensor& dustbin_score, const PairTruth& truth,
                        const LossOptions& options, Threads& threads);

/// InfoNCE on the features of points, scaled to unit length here: for some of the points that touch the
/// partner (nearer than 0.018), the negative log of their partners' share in a softmax over all points of the
/// other fragment; those up to 0.04 away are neither right nor wrong. Both ways; 0 where nothing touches.
/// `temperature` is the logarithm of what cosines are multiplied with.
torch::Tensor point_contrast_loss(const torch::Tensor& source, const torch::Tensor& target,
                                  const torch::Tensor& temperature, const PairTruth& truth);

/// Mean binary cross entropy of logits [points] against labels 0 and 1.
torch::Tensor fracture_loss(const torch::Tensor& logits, std::span<const float> labels,
                            double positive_weight);

/// Of one fragment: mean binary cross entropy, and what is missing of the overlap of what is said and what is
/// true (Dice). The second weighs a false alarm by how much break there is, so that a large fragment with
/// little of it must be exact.
torch::Tensor break_loss(const torch::Tensor& logits, std::span<const float> labels);

/// How far the proxies of each head are from orthonormal, and those of different heads from orthogonal: mean
/// squared entries of their Gram matrices, mean over the layers.
torch::Tensor orthonormal_loss(std::span<const torch::Tensor> proxies);
torch::Tensor zero_loss(std::span<const torch::Tensor> proxies);

/// The two losses on a pair. One whose weight is 0 is not computed, and is 0.
MatchLoss match_loss(const PairFeatures& features, const PmtrNetwork& network, const PairTruth& truth,
                     const LossOptions& options, Threads& threads);

/// The two on the weights alone, the same for every pair.
ProxyLoss proxy_loss(const PmtrNetwork& network);

}  // namespace pmtr
