// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace pmtr {

/// How much the matches of two fragments, or groups of them, say that they are neighbours.
struct PairScore {
  int a = 0;
  int b = 0;
  double score = 0.0;     ///< of the pose that most matches agree on; 0: there is none
  bool compared = false;  ///< points of two breaks found each other
};

/// Those of the pairs that are worth a look at the surfaces: everybody with this many partners on whose pose
/// most matches agree. In the order of the scores, one of each pair; all of `pairs` where no breaks were
/// compared.
std::vector<std::pair<int, int>> likely_pairs(std::span<const std::pair<int, int>> pairs,
                                              std::span<const PairScore> scores, int fragments, int partners);

/// Those of the pairs in which both groups have at least `least` parts (`sizes`, of each group); where there
/// are more than `most`, those whose smaller group is largest.
std::vector<std::pair<int, int>> large_pairs(std::span<const std::pair<int, int>> pairs,
                                             std::span<const std::size_t> sizes, std::size_t least,
                                             std::size_t most);

}  // namespace pmtr
