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
  nodes_.reserve(2 * blocks);
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
  const auto begin = order_.begin() + std::ptrdiff_t{first_block} * block_size;
  const auto end = order_.begin() + std::min<std::ptrdiff_t>(std::ptrdiff_t{block_end} * block_size, size());
  Eigen::Vector3f low = points_[static_cast<std::size_t>(*begin)];
  Eigen::Vector3f high = low;
  std::int32_t smallest = *begin;
  for (auto it = begin; it != end; ++it) {
    const Eigen::Vector3f& p = points_[static_cast<std::size_t>(*it)];
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
    smallest = std::min(smallest, *it);
  }
  const std::size_t self = nodes_.size();
  nodes_.push_back({.low = {low.x(), low.y(), low.z()},
                    .high = {high.x(), high.y(), high.z()},
                    .smallest_index = smallest,
                    .first_block = first_block,
                    .block_end = block_end,
                    .skip = 0});
  if (block_end - first_block > 1) {
    const std::int32_t middle = first_block + (block_end - first_block) / 2;
    int axis = 0;
    (high - low).maxCoeff(&axis);
    // Equal coordinates are split by index: a heap of coincident points falls apart into ranges of indices,
    // and a search that wants the smallest ones can leave the others out.
    std::nth_element(begin, order_.begin() + std::ptrdiff_t{middle} * block_size, end,
                     [&](std::int32_t a, std::int32_t b) {
                       const float u = points_[static_cast<std::size_t>(a)][axis];
                       const float v = points_[static_cast<std::size_t>(b)][axis];
                       return u < v || (u == v && a < b);
                     });
    build(first_block, middle);
    build(middle, block_end);
  }
  nodes_[self].skip = static_cast<std::int32_t>(nodes_.size());
}

}  // namespace pmtr
