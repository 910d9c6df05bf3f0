// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/project/blocks.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "pmtr/core/check.h"

namespace pmtr {

std::vector<Block> add_blocks(std::vector<Block> blocks, int more, int size) {
  PMTR_CHECK(size > 0 && more >= 0, "blocks of at least one fragment");
  int begin = blocks.empty() ? 0 : blocks.back().end;
  for (const int end = begin + more; begin < end;) {
    blocks.push_back({begin, std::min(begin + size, end)});
    begin = blocks.back().end;
  }
  return blocks;
}

std::vector<BlockPair> block_pairs(int blocks) {
  std::vector<BlockPair> pairs;
  for (int first = 0; first < blocks; ++first)
    for (int second = first; second < blocks; ++second) pairs.push_back({first, second});
  return pairs;
}

std::vector<std::pair<int, int>> pairs_between(const Block& first, const Block& second) {
  std::vector<std::pair<int, int>> pairs;
  for (int a = first.begin; a < first.end; ++a)
    for (int b = std::max(a + 1, second.begin); b < second.end; ++b) pairs.emplace_back(a, b);
  return pairs;
}

std::pair<int, int> range_of(const Shard& shard, int total) {
  const auto bound = [&](int part) { return static_cast<int>(std::int64_t{total} * part / shard.count); };
  return {bound(shard.index), bound(shard.index + 1)};
}

std::pair<int, int> range_of(const Shard& shard, const std::vector<double>& costs) {
  std::vector<double> before(costs.size() + 1, 0.0);  // and behind all
  std::partial_sum(costs.begin(), costs.end(), before.begin() + 1);
  // Of the thing in which a bound falls, the middle decides. The last bound is the end, whatever is rounded.
  const auto bound = [&](int part) {
    if (part == 0) return 0;
    if (part == shard.count) return static_cast<int>(costs.size());
    const double goal = before.back() * part / shard.count;
    int i = 0;
    while (i < static_cast<int>(costs.size()) &&
           0.5 * (before[static_cast<std::size_t>(i)] + before[static_cast<std::size_t>(i) + 1]) <= goal)
      ++i;
    return i;
  };
  return {bound(shard.index), bound(shard.index + 1)};
}

}  // namespace pmtr
