// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/project/blocks.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

namespace pmtr {
namespace {

TEST(Blocks, have_every_pair_of_fragments_once) {
  for (const int size : {1, 3, 4, 7, 16}) {
    const std::vector<Block> blocks = add_blocks({}, 13, size);
    std::set<std::pair<int, int>> seen;
    std::size_t count = 0;
    for (const BlockPair& pair : block_pairs(static_cast<int>(blocks.size()))) {
      const auto pairs = pairs_between(blocks[static_cast<std::size_t>(pair.first)],
                                       blocks[static_cast<std::size_t>(pair.second)]);
      EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end()));
      for (const auto& [a, b] : pairs) EXPECT_LT(a, b);
      seen.insert(pairs.begin(), pairs.end());
      count += pairs.size();
    }
    EXPECT_EQ(count, 13U * 12U / 2U);
    EXPECT_EQ(seen.size(), count);
  }
}

TEST(Blocks, that_are_there_never_grow) {
  const std::vector<Block> before = add_blocks({}, 10, 4);
  const std::vector<Block> after = add_blocks(before, 3, 4);
  ASSERT_EQ(before.size(), 3U);
  ASSERT_EQ(after.size(), 4U);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i].end, before[i].end);
  EXPECT_EQ(after.back().begin, 10);
  EXPECT_EQ(after.back().end, 13);
  EXPECT_EQ(add_blocks(after, 0, 4).size(), 4U);
}

TEST(Shards, have_everything_once_however_many_they_are) {
  for (const int total : {0, 1, 5, 36, 100}) {
    for (const int count : {1, 2, 3, 8, 50}) {
      std::vector<double> costs;
      for (int i = 0; i < total; ++i) costs.push_back(i % 4 == 0 ? 0.0 : 1.0 + i % 7);
      int next = 0, next_of_costs = 0;
      for (int index = 0; index < count; ++index) {
        const auto [begin, end] = range_of({index, count}, total);
        EXPECT_EQ(begin, next);
        EXPECT_LE(begin, end);
        next = end;
        const auto [cost_begin, cost_end] = range_of({index, count}, costs);
        EXPECT_EQ(cost_begin, next_of_costs);
        EXPECT_LE(cost_begin, cost_end);
        next_of_costs = cost_end;
      }
      EXPECT_EQ(next, total);
      EXPECT_EQ(next_of_costs, total);
    }
  }
}

TEST(Shards, cost_about_the_same) {
  const std::vector<double> costs = {100.0, 100.0, 100.0, 100.0, 25.0, 25.0, 25.0, 25.0, 50.0, 50.0};
  for (int index = 0; index < 3; ++index) {
    const auto [begin, end] = range_of({index, 3}, costs);
    double sum = 0.0;
    for (int i = begin; i < end; ++i) sum += costs[static_cast<std::size_t>(i)];
    EXPECT_NEAR(sum, 200.0, 50.0) << index;
  }
}

}  // namespace
}  // namespace pmtr
