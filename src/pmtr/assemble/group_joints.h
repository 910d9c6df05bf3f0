// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/core/rigid3.h"
#include "pmtr/pose/joint.h"
#include "pmtr/pose/mating_icp.h"
#include "pmtr/pose/oriented_cloud.h"
#include "pmtr/pose/pose_search.h"
#include "pmtr/pose/reach.h"

namespace pmtr {

/// Parts that stand together, in a frame they share.
struct StandingGroup {
  std::vector<int> parts;
  std::vector<Rigid3> group_from_part;
};

/// Its clouds, where they stand.
std::vector<StandingCloud> clouds_of(const StandingGroup& group, std::span<const OrientedCloud> clouds);

/// A pose as a joint of two parts.
Joint joint_of(int a, int b, const Rigid3& a_from_b, const PoseCandidate& candidate);

/// A pose between two groups as joints of the parts that touch in it: the one that touches most, which is as
/// sure as the groups, and all others whose surfaces fit. What is open of a group is more than what another
/// covers, so that parts may be surer of each other than their groups are. `reach` is that of the clouds.
std::vector<Joint> joints_of_groups(const StandingGroup& a, const StandingGroup& b,
                                    const PoseCandidate& candidate, std::span<const OrientedCloud> clouds,
                                    const Reach& reach);

}  // namespace pmtr
