// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/match/fragment_features.h"

namespace pmtr {

/// Two superpoints that look as if they touch.
struct SuperpointMatch {
  std::int32_t source = 0;
  std::int32_t target = 0;
  float score = 0.0F;
};

struct CoarseMatchOptions {
  /// Keep this many best pairs of superpoints (top-k).
  int count = 128;
};

/// Scores exp(-|f - g|^2) of all superpoint pairs, each divided by its row's and by its column's sum; the
/// best `count`, best first. Superpoints that own no points take no part.
std::vector<SuperpointMatch> match_superpoints(const FeatureMatrix& source,
                                               const SuperpointPatches& source_patches,
                                               const FeatureMatrix& target,
                                               const SuperpointPatches& target_patches,
                                               const CoarseMatchOptions& options, Threads& threads);

}  // namespace pmtr
