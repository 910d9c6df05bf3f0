// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/core/rigid3.h"
#include "pmtr/core/threads.h"
#include "pmtr/pose/mating_icp.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {

/// Fragments that are joined, as one: all their points in the common frame, without those that lie in the
/// joints. What is left of the fractures is what others can still be joined to.
OrientedCloud merge_clouds(std::span<const StandingCloud> parts, const OrientedCloudOptions& options,
                           Threads& threads);

}  // namespace pmtr
