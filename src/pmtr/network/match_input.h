// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/breaks/break_cloud.h"
#include "pmtr/breaks/break_descriptors.h"
#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/network/network_options.h"
#include "pmtr/sample/point_cloud.h"

namespace pmtr {

/// What the network on breaks reads of one fragment: points of its breaks, as a pyramid, and what the break
/// looks like around each, in either role.
struct MatchInput {
  /// With fewer break points there is nothing to match.
  static constexpr std::size_t least_points = 12;

  BreakCloud cloud;
  Pyramid pyramid;  ///< level 0: the points of the cloud
  BreakDescriptors as_source;
  BreakDescriptors as_target;

  bool empty() const { return as_source.rows == 0; }
};

/// `fracture` says for every dense point how likely the fragment is broken there. Empty where it hardly is.
Result<MatchInput> find_match_input(const PointCloud& dense, std::span<const float> fracture,
                                    const NetworkOptions& network, Threads& threads);

}  // namespace pmtr
