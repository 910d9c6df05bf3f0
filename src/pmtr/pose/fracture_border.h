// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {

/// Places between an outer point and its nearest fracture point, moved onto the line where their two tangent
/// planes meet: finer than the sampling. A thin wall has two such lines, one on each side. `near` knows every
/// place within 1.6 spacings of a fracture point.
std::vector<BorderPoint> find_border(const std::vector<OrientedPoint>& fracture,
                                     const std::vector<OrientedPoint>& outer, const NearestField& near,
                                     float spacing, Threads& threads);

}  // namespace pmtr
