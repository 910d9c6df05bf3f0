// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/nearest_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pmtr {
namespace {

// 32 MB: more would not stay in any cache.
constexpr double max_cells = 8e6;

}  // namespace

NearestField::NearestField(std::span<const Eigen::Vector3f> points, float cell, int band, bool find_inside) {
  if (points.empty()) return;
  Eigen::Vector3f low = points[0];
  Eigen::Vector3f high = points[0];
  for (const auto& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  // One more than the band, so that the outermost cells are always outside.
  const auto margin = static_cast<float>(band + 1);
  const auto cells_at = [&](float c) {
    return ((high - low).cast<double>() / static_cast<double>(c)).array() +
           2.0 * static_cast<double>(margin) + 1.0;
  };
  while (cells_at(cell).prod() > max_cells) cell *= 1.1F;
  inverse_cell_ = 1.0F / cell;
  origin_ = low.array() - margin * cell;
  size_ = cells_at(cell).floor().cast<int>();
  limit_ = size_.cast<float>();
  cells_.assign(index(0, 0, size_.z()), outside);
  fill_band(points, band);
  if (find_inside) fill_inside();
}

void NearestField::fill_band(std::span<const Eigen::Vector3f> points, int band) {
  std::vector<float> nearest(cells_.size(), std::numeric_limits<float>::infinity());
  const float reach = (static_cast<float>(band) + 0.5F) * (static_cast<float>(band) + 0.5F);
  for (const std::int32_t i : row_by_row(points)) {
    const Eigen::Vector3f local = (points[static_cast<std::size_t>(i)] - origin_) * inverse_cell_;
    const Eigen::Vector3i home = local.cast<int>();
    const int first = std::max(0, home.x() - band);
    const int last = std::min(size_.x() - 1, home.x() + band);
    for (int z = std::max(0, home.z() - band); z <= std::min(size_.z() - 1, home.z() + band); ++z) {
      const float dz = static_cast<float>(z) + 0.5F - local.z();
      for (int y = std::max(0, home.y() - band); y <= std::min(size_.y() - 1, home.y() + band); ++y) {
        const float dy = static_cast<float>(y) + 0.5F - local.y();
        if (dy * dy + dz * dz > reach) continue;
        std::size_t at = index(first, y, z);
        for (int x = first; x <= last; ++x, ++at) {
          const float dx = static_cast<float>(x) + 0.5F - local.x();
          const float squared = dx * dx + dy * dy + dz * dz;
          // Of equally near points the first, in whatever order they come.
          const bool nearer = squared < nearest[at] || (squared == nearest[at] && i < cells_[at]);
          if (nearer && squared <= reach) {
            nearest[at] = squared;
            cells_[at] = i;
          }
        }
      }
    }
  }
}

// Points come in random order, and the cells around each would be fetched from memory anew.
std::vector<std::int32_t> NearestField::row_by_row(std::span<const Eigen::Vector3f> points) const {
  const auto row_of = [&](const Eigen::Vector3f& point) {
    const Eigen::Vector3i home = ((point - origin_) * inverse_cell_).cast<int>();
    return static_cast<std::size_t>(home.z()) * static_cast<std::size_t>(size_.y()) +
           static_cast<std::size_t>(home.y());
  };
  std::vector<std::int32_t> begin(static_cast<std::size_t>(size_.y()) * static_cast<std::size_t>(size_.z()) +
                                  1);
  for (const Eigen::Vector3f& point : points) ++begin[row_of(point) + 1];
  for (std::size_t row = 1; row < begin.size(); ++row) begin[row] += begin[row - 1];
  std::vector<std::int32_t> order(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    order[static_cast<std::size_t>(begin[row_of(points[i])]++)] = static_cast<std::int32_t>(i);
  return order;
}

void NearestField::fill_inside() {
  std::vector<std::size_t> open = {0};
  constexpr std::int32_t reached = -3;
  cells_[0] = reached;
  const auto row = static_cast<std::ptrdiff_t>(size_.x());
  const std::ptrdiff_t layer = row * size_.y();
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    const auto x = static_cast<int>(static_cast<std::ptrdiff_t>(at) % row);
    const auto y = static_cast<int>(static_cast<std::ptrdiff_t>(at) % layer / row);
    const auto z = static_cast<int>(static_cast<std::ptrdiff_t>(at) / layer);
    const auto visit = [&](bool exists, std::ptrdiff_t step) {
      if (!exists) return;
      const auto next = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at) + step);
      if (cells_[next] != outside) return;
      cells_[next] = reached;
      open.push_back(next);
    };
    visit(x > 0, -1);
    visit(x + 1 < size_.x(), 1);
    visit(y > 0, -row);
    visit(y + 1 < size_.y(), row);
    visit(z > 0, -layer);
    visit(z + 1 < size_.z(), layer);
  }
  for (auto& cell : cells_) {
    if (cell == outside) cell = inside;
    if (cell == reached) cell = outside;
  }
}

}  // namespace pmtr
