// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/random.h"
#include "pmtr/core/threads.h"

namespace pmtr {

/// What lines through a point say about its normal. Private to this stage.
struct SightVote {
  float side = 0.0F;    ///< from -1 (the normal points inwards, all say) to 1 (outwards)
  float weight = 0.0F;  ///< of the lines that had something to say
};

/// Every point is a small disc across its normal, of twice its spacing. A line through a point meets discs
/// before and behind it; those that lie together are one surface. A line that meets an odd number in all has
/// missed one, and is not asked. Votes of the points in `asked`, in that order; all are discs.
std::vector<SightVote> vote_by_sight(std::span<const Eigen::Vector3f> points,
                                     std::span<const Eigen::Vector3f> normals, std::span<const float> radii,
                                     std::span<const std::uint32_t> asked, int directions, Random random,
                                     Threads& threads);

}  // namespace pmtr
