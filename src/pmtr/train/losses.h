// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <torch/types.h>

#include "pmtr/core/threads.h"
#include "pmtr/kernels/circle_loss.h"
#include "pmtr/kernels/optimal_transport.h"
#include "pmtr/match/coarse_match.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/pyramid/node_patches.h"

namespace pmtr {

/// Weights of the four losses; 0 switches one off.
struct LossOptions {
  double coarse = 1.0;
  double fine = 1.0;
  double orthonormal = 10.0;
  double zero = 10.0;
  /// Points of two matched patches that are nearer than this in the assembled object are partners.
  double fine_radius = 0.05;
  kernels::CircleLossOptions circle;
  kernels::TransportOptions transport;
};

/// What is true of a pair: how much the patches of two superpoints overlap, and which points touch.
struct PairTruth {
  /// Points of both fragments in the assembled object.
  std::vector<Eigen::Vector3f> source_assembled;
  std::vector<Eigen::Vector3f> target_assembled;
  NodePatches source_patches;
  NodePatches target_patches;
  torch::Tensor overlaps;             ///< [source nodes, target nodes], 0 to 1
  std::vector<NodeMatch> node_pairs;  ///< the patches that the fine loss looks at
};

struct PairLoss {
  torch::Tensor coarse;
  torch::Tensor fine;
  torch::Tensor orthonormal;
  torch::Tensor zero;
  torch::Tensor total;
};

/// Overlap-aware circle loss on unit superpoint features.
torch::Tensor coarse_loss(const torch::Tensor& source, const torch::Tensor& target,
                          const torch::Tensor& overlaps, const kernels::CircleLossOptions& options,
                          Threads& threads);

/// Mean negative log share of true partners, and of the dustbin for points without one.
torch::Tensor fine_loss(const torch::Tensor& source, const torch::Tensor& target,
                        const torch::Tensor& dustbin_score, const PairTruth& truth,
                        const LossOptions& options, Threads& threads);

/// How far the proxies of each head are from orthonormal, and those of different heads from orthogonal: mean
/// squared entries of their Gram matrices, mean over the layers.
torch::Tensor orthonormal_loss(std::span<const torch::Tensor> proxies);
torch::Tensor zero_loss(std::span<const torch::Tensor> proxies);

/// All four, from the network's output for a pair.
PairLoss pair_loss(const PmtrNetwork& network, const NetworkOutput& output, const PyramidBatch& batch,
                   const PairTruth& truth, const LossOptions& options, Threads& threads);

}  // namespace pmtr
