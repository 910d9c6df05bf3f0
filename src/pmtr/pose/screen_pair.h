// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/threads.h"
#include "pmtr/match/fragment_features.h"
#include "pmtr/pose/frame_poses.h"

namespace pmtr {

/// How much two fragments look like neighbours, from what was encoded once of each: points of their breaks
/// that are each other's nearest and agree on one pose, more than as many would by chance. About a
/// millisecond, so that half a million pairs can be asked. Needs features of breaks (`break_cloud`); 0 where
/// either has none.
double screen_pair(const FragmentFeatures& a, const FragmentFeatures& b, const FramePoseOptions& options,
                   Threads& threads);

}  // namespace pmtr
