// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/match/coarse_match.h"
#include "pmtr/match/patch_transport.h"

namespace pmtr {

/// A point of the source fragment and the point of the target it should touch.
struct Correspondence {
  std::int32_t source = 0;  ///< index of a point
  std::int32_t target = 0;
  float score = 0.0F;      ///< share of the transport, 0 to 1
  std::int32_t patch = 0;  ///< which superpoint match it comes from; correspondences are sorted by this
};

struct CorrespondenceOptions {
  int mutual = 3;           ///< each must be among this many best partners of the other
  float min_score = 0.05F;  ///< and have more than this share
};

std::vector<Correspondence> mutual_correspondences(std::span<const SuperpointMatch> matches,
                                                   const SuperpointPatches& source_patches,
                                                   const SuperpointPatches& target_patches,
                                                   const PatchTransport& transport,
                                                   const CorrespondenceOptions& options);

}  // namespace pmtr
