// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pmtr {

/// The permutation with the largest sum of scores[row, column[row]], by the Hungarian method: `scores` is
/// [count, count], finite. Takes about count^3 steps at worst, far fewer where rows know their columns.
std::vector<std::int32_t> best_assignment(std::span<const float> scores, std::int64_t count);

}  // namespace pmtr
