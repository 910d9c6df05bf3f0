// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/match/correspondences.h"

namespace pmtr {

struct MatchOptions {
  CoarseMatchOptions coarse;
  kernels::TransportOptions transport;
  CorrespondenceOptions correspondences;

  Status validate() const;
};

/// What matching two fragments found, with everything on the way to it.
struct PairMatches {
  std::vector<SuperpointMatch> superpoints;
  PatchTransport transport;
  std::vector<Correspondence> correspondences;
};

/// Matches fragment `source` with fragment `target`; each was encoded without knowing the other.
PairMatches match_pair(const FragmentFeatures& source, const FragmentFeatures& target, float dustbin_score,
                       const MatchOptions& options, Threads& threads);

}  // namespace pmtr
