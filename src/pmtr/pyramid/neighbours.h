// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include <Eigen/Core>

#include "pmtr/core/threads.h"
#include "pmtr/pyramid/pyramid.h"

namespace pmtr {

/// The nearest `limit` supports strictly within `radius` of each query, nearest first. The width is the
/// largest count that occurs, at most `limit`. Points must be finite; distances are squared in float.
NeighbourTable find_neighbours(std::span<const Eigen::Vector3f> queries,
                               std::span<const Eigen::Vector3f> supports, float radius, int limit,
                               TieOrder ties, Threads& threads);

}  // namespace pmtr
