// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/threads.h"
#include "pmtr/pyramid/pyramid.h"

namespace pmtr {

/// A balanced k-d tree with bounding boxes over a cloud, made once per pyramid level. Private to this stage.
///
/// Points lie in blocks of 16 in tree order, so that a leaf is a few vector instructions. Superpoints lie in
/// preorder with the place to jump to when a box is too far: walking it needs no stack.
class SearchTree {
 public:
  static constexpr int block_size = 16;
  static constexpr int lane_size = 4;
  using Lane = float __attribute__((vector_size(lane_size * sizeof(float))));

  struct Block {
    // Places after the last point hold infinity: never within any radius.
    std::array<Lane, block_size / lane_size> x, y, z;
    std::array<std::int32_t, block_size> index;
  };
  struct Superpoint {
    Lane low, high;                       ///< x, y, z, 0
    std::int32_t smallest_index;          ///< of the points below; decides ties
    std::int32_t first_block, block_end;  ///< a leaf has one block
    std::int32_t skip;                    ///< the next superpoint in preorder outside this one
  };

  /// The points must be finite.
  explicit SearchTree(std::span<const Eigen::Vector3f> points);

  std::int32_t size() const { return static_cast<std::int32_t>(order_.size()); }
  std::span<const Eigen::Vector3f> points() const { return points_; }
  /// Indices of the points such that neighbours in the list are mostly neighbours in space.
  std::span<const std::int32_t> order() const { return order_; }
  std::span<const Superpoint> superpoints() const { return superpoints_; }
  std::span<const Block> blocks() const { return blocks_; }

 private:
  void build(std::int32_t first_block, std::int32_t block_end);
  void split(std::int32_t begin, std::int32_t middle, std::int32_t end, int axis);
  void order_block(std::int32_t begin, std::int32_t end);

  std::span<const Eigen::Vector3f> points_;
  std::vector<std::int32_t> order_;
  std::vector<Superpoint> superpoints_;
  std::vector<Block> blocks_;
};

/// find_neighbours with both trees at hand.
NeighbourTable find_neighbours(const SearchTree& queries, const SearchTree& supports, float radius, int limit,
                               TieOrder ties, Threads& threads);

}  // namespace pmtr
