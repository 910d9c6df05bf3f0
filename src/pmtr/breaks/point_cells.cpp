// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/breaks/point_cells.h"

#include <algorithm>
#include <numeric>

namespace pmtr {

Eigen::Vector3i PointCells::place_of(const Eigen::Vector3f& point) const {
  return (point * inverse_edge_).array().floor().cast<int>();
}

std::uint64_t PointCells::key_of(const Eigen::Vector3i& place) {
  constexpr std::uint64_t mask = (1U << 21) - 1;
  const auto part = [](int v) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(v)) & mask; };
  return part(place.x()) | part(place.y()) << 21 | part(place.z()) << 42;
}

PointCells::PointCells(std::span<const Eigen::Vector3f> points, float edge)
    : inverse_edge_(1.0F / edge), order_(points.size()) {
  std::vector<std::uint64_t> keys;
  keys.reserve(points.size());
  for (const auto& p : points) keys.push_back(key_of(place_of(p)));
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    if (i == 0 || keys[order_[i]] != keys[order_[i - 1]]) {
      place_.emplace(keys[order_[i]], static_cast<std::uint32_t>(cells_.size()));
      cells_.push_back({place_of(points[order_[i]]), i, i});
    }
    cells_.back().end = i + 1;
  }
}

}  // namespace pmtr
