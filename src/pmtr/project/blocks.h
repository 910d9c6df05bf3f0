// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <utility>
#include <vector>

#include "pmtr/core/shard.h"

namespace pmtr {

/// Fragments that are loaded together: [begin, end).
struct Block {
  int begin = 0;
  int end = 0;

  int size() const { return end - begin; }
};

/// The pairs between two blocks, or within one: what a worker does at a time, and one file.
struct BlockPair {
  int first = 0;   ///< number of a block
  int second = 0;  ///< not before `first`
};

/// `more` fragments behind those that there are, in blocks of at most `size`. A block that is there never
/// grows, so that what was done for it stays.
std::vector<Block> add_blocks(std::vector<Block> blocks, int more, int size);

/// All pairs of blocks; those with the same first block are neighbours, so that it is loaded once.
std::vector<BlockPair> block_pairs(int blocks);

/// The pairs of fragments of a pair of blocks, ascending; a is before b.
std::vector<std::pair<int, int>> pairs_between(const Block& first, const Block& second);

/// Which of `total` things in a row are of a shard: [begin, end). Shards of one count have all of them, each
/// once.
std::pair<int, int> range_of(const Shard& shard, int total);

/// The same for things of different cost: a run of them with about the shard's part of the whole.
std::pair<int, int> range_of(const Shard& shard, const std::vector<double>& costs);

}  // namespace pmtr
