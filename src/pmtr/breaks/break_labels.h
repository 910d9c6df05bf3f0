// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/sample/point_cloud.h"

namespace pmtr {

/// The root of the area of one point of an even sample, by the distances between neighbours on one face. The
/// two sides of a thin wall count apart. 0 where no point has a neighbour. Private to this stage, as is the
/// next one.
float point_spacing(const PointCloud& cloud, Threads& threads);

/// The mean of each point's and its neighbours' probabilities within `radius`, of those whose normals agree.
std::vector<float> smooth_labels(const PointCloud& cloud, std::span<const float> probability, float radius,
                                 Threads& threads);

}  // namespace pmtr
