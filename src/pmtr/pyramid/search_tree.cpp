// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pyramid/search_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "pmtr/core/check.h"

namespace pmtr {

SearchTree::SearchTree(std::span<const Eigen::Vector3f> points) : points_(points), order_(points.size()) {
  PMTR_CHECK(points.size() < std::numeric_limits<std::int32_t>::max() / 2,
             "too many points for 32-bit indices");
  std::iota(order_.begin(), order_.end(), 0);
  const std::size_t blocks = (points.size() + block_size - 1) / block_size;
  blocks_.resize(blocks);
  superpoints_.reserve(2 * blocks);
  if (blocks > 0) build(0, static_cast<std::int32_t>(blocks));

  constexpr float nowhere = std::numeric_limits<float>::infinity();
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t i = 0; i < block_size; ++i) {
      const std::size_t place = b * block_size + i;
      const bool used = place < order_.size();
      const Eigen::Vector3f p =
          used ? points[static_cast<std::size_t>(order_[place])] : Eigen::Vector3f::Constant(nowhere);
      blocks_[b].x[i / lane_size][i % lane_size] = p.x();
      blocks_[b].y[i / lane_size][i % lane_size] = p.y();
      blocks_[b].z[i / lane_size][i % lane_size] = p.z();
      blocks_[b].index[i] = used ? order_[place] : std::numeric_limits<std::int32_t>::max();
    }
  }
}

void SearchTree::build(std::int32_t first_block, std::int32_t block_end) {
  const std::int32_t begin = first_block * block_size;
  const std::int32_t end = std::min(block_end * block_size, size());
  Eigen::Vector3f low = points_[static_cast<std::size_t>(order_[static_cast<std::size_t>(begin)])];
  Eigen::Vector3f high = low;
  std::int32_t smallest = std::numeric_limits<std::int32_t>::max();
  for (std::int32_t i = begin; i < end; ++i) {
    const std::int32_t index = order_[static_cast<std::size_t>(i)];
    low = low.cwiseMin(points_[static_cast<std::size_t>(index)]);
    high = high.cwiseMax(points_[static_cast<std::size_t>(index)]);
    smallest = std::min(smallest, index);
  }
  const std::size_t self = superpoints_.size();
  superpoints_.push_back({.low = Lane{low.x(), low.y(), low.z(), 0.0F},
                          .high = Lane{high.x(), high.y(), high.z(), 0.0F},
                          .smallest_index = smallest,
                          .first_block = first_block,
                          .block_end = block_end,
                          .skip = 0});
  if (block_end - first_block > 1) {
    const std::int32_t middle = first_block + (block_end - first_block) / 2;
    int axis = 0;
    (high - low).maxCoeff(&axis);
    split(begin, middle * block_size, end, axis);
    build(first_block, middle);
    build(middle, block_end);
  } else {
    order_block(begin, end);
  }
  superpoints_[self].skip = static_cast<std::int32_t>(superpoints_.size());
}

void SearchTree::split(std::int32_t begin, std::int32_t middle, std::int32_t end, int axis) {
  // Equal coordinates are split by index: a heap of coincident points falls apart into ranges of indices,
  // and a search that wants the smallest ones can leave the others out.
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](std::int32_t a, std::int32_t b) {
                     const float u = points_[static_cast<std::size_t>(a)][axis];
                     const float v = points_[static_cast<std::size_t>(b)][axis];
                     return u < v || (u == v && a < b);
                   });
}

// Within a block the order only serves searches that go along it: each point to the nearest one left.
void SearchTree::order_block(std::int32_t begin, std::int32_t end) {
  for (std::int32_t i = begin; i + 2 < end; ++i) {
    const Eigen::Vector3f& p = points_[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)])];
    std::int32_t nearest = i + 1;
    float least = std::numeric_limits<float>::infinity();
    for (std::int32_t j = i + 1; j < end; ++j) {
      const float d =
          (points_[static_cast<std::size_t>(order_[static_cast<std::size_t>(j)])] - p).squaredNorm();
      if (d < least) {
        least = d;
        nearest = j;
      }
    }
    std::iter_swap(order_.begin() + i + 1, order_.begin() + nearest);
  }
}

}  // namespace pmtr
