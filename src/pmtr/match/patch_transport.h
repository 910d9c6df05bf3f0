// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/kernels/optimal_transport.h"
#include "pmtr/match/coarse_match.h"
#include "pmtr/match/fragment_features.h"

namespace pmtr {

/// The soft assignment of the points of matched patches, one block per superpoint match.
struct PatchTransport {
  std::vector<kernels::TransportPatch> patches;
  std::vector<float> scores;  ///< [rows, columns] blocks: feature products before transport
  std::vector<float>
      log_shares;  ///< [rows + 1, columns + 1] blocks, the last row and column are "no partner"

  float log_share(std::size_t patch, std::int32_t row, std::int32_t column) const {
    const auto& p = patches[patch];
    return log_shares[static_cast<std::size_t>(p.output + std::int64_t{row} * (p.columns + 1) + column)];
  }
};

/// Optimal transport between the points of each pair of patches, by the product of their fine features over
/// the square root of their length. `dustbin_score` is what "no partner" is worth, a learnt number.
PatchTransport transport_patches(std::span<const SuperpointMatch> matches, const FeatureMatrix& source,
                                 const SuperpointPatches& source_patches, const FeatureMatrix& target,
                                 const SuperpointPatches& target_patches, float dustbin_score,
                                 const kernels::TransportOptions& options, Threads& threads);

}  // namespace pmtr
