// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/patch_overlaps.h"

#include <array>
#include <bit>
#include <cmath>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

/// Points in lists by the cell of a grid as wide as the radius; cells that share a place share a list.
class PointGrid {
 public:
  PointGrid(std::span<const Eigen::Vector3f> points, std::span<const std::uint8_t> labels, float radius)
      : points_(points), per_cell_(1.0F / radius), first_(std::bit_ceil(2 * points.size() + 1), -1) {
    next_.resize(points.size(), -1);
    for (std::size_t i = points.size(); i-- > 0;) {
      if (!labels.empty() && labels[i] == 0) continue;
      std::int32_t& first = first_[place_of(cell_of(points[i]))];
      next_[i] = first;
      first = static_cast<std::int32_t>(i);
    }
  }

  template <class Visit>
  void within(const Eigen::Vector3f& p, float radius, Visit visit) const {
    const Cell cell = cell_of(p);
    std::array<std::size_t, 27> seen{};
    std::size_t count = 0;
    for (int n = 0; n < 27; ++n) {
      const std::size_t place = place_of({cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1});
      bool again = false;
      for (std::size_t s = 0; s < count; ++s) again = again || seen[s] == place;
      if (again) continue;
      seen[count++] = place;
      for (std::int32_t i = first_[place]; i >= 0; i = next_[static_cast<std::size_t>(i)]) {
        if ((points_[static_cast<std::size_t>(i)] - p).squaredNorm() < radius * radius) visit(i);
      }
    }
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  Cell cell_of(const Eigen::Vector3f& p) const {
    return {static_cast<std::int64_t>(std::floor(p.x() * per_cell_)),
            static_cast<std::int64_t>(std::floor(p.y() * per_cell_)),
            static_cast<std::int64_t>(std::floor(p.z() * per_cell_))};
  }
  std::size_t place_of(const Cell& cell) const {
    std::uint64_t h = static_cast<std::uint64_t>(cell[0]) * 0x9e3779b97f4a7c15ULL;
    h ^= static_cast<std::uint64_t>(cell[1]) * 0xc2b2ae3d27d4eb4fULL;
    h ^= static_cast<std::uint64_t>(cell[2]) * 0x165667b19e3779f9ULL;
    h ^= h >> 32U;
    return static_cast<std::size_t>(h) & (first_.size() - 1);
  }

  std::span<const Eigen::Vector3f> points_;
  float per_cell_;
  std::vector<std::int32_t> first_;
  std::vector<std::int32_t> next_;
};

/// The node whose patch holds each point, -1 for points that a limited patch left out.
std::vector<std::int32_t> nodes_of_kept_points(const NodePatches& patches, std::size_t points) {
  std::vector<std::int32_t> node(points, -1);
  for (std::int64_t n = 0; n < patches.nodes(); ++n)
    for (const std::int32_t p : patches.of(n))
      node[static_cast<std::size_t>(p)] = static_cast<std::int32_t>(n);
  return node;
}

/// Adds to [from node, to node] half the share of the patch's points with a partner; `at` finds the entry.
template <class Entry>
void add_shares(std::span<const Eigen::Vector3f> from, const NodePatches& from_patches,
                std::span<const std::uint8_t> from_labels, const PointGrid& to,
                const std::vector<std::int32_t>& to_node, float radius, Entry entry) {
  std::vector<std::int32_t> met;
  for (std::int64_t n = 0; n < from_patches.nodes(); ++n) {
    const auto patch = from_patches.of(n);
    for (const std::int32_t p : patch) {
      const auto i = static_cast<std::size_t>(p);
      if (!from_labels.empty() && from_labels[i] == 0) continue;
      met.clear();
      to.within(from[i], radius, [&](std::int32_t j) {
        const std::int32_t node = to_node[static_cast<std::size_t>(j)];
        for (const std::int32_t m : met) {
          if (m == node) return;
        }
        if (node >= 0) met.push_back(node);
      });
      for (const std::int32_t m : met) entry(n, m) += 0.5F / static_cast<float>(patch.size());
    }
  }
}

}  // namespace

PatchOverlaps patch_overlaps(std::span<const Eigen::Vector3f> source, const NodePatches& source_patches,
                             std::span<const Eigen::Vector3f> target, const NodePatches& target_patches,
                             float radius, std::span<const std::uint8_t> source_labels,
                             std::span<const std::uint8_t> target_labels) {
  PMTR_CHECK(radius > 0.0F, "a radius");
  PMTR_CHECK(source_labels.empty() || source_labels.size() == source.size(), "one label per point");
  PMTR_CHECK(target_labels.empty() || target_labels.size() == target.size(), "one label per point");
  PatchOverlaps result{source_patches.nodes(), target_patches.nodes(), {}};
  result.values.assign(static_cast<std::size_t>(result.source_nodes * result.target_nodes), 0.0F);
  const auto at = [&](std::int64_t s, std::int64_t t) -> float& {
    return result.values[static_cast<std::size_t>(s * result.target_nodes + t)];
  };
  const PointGrid source_grid(source, source_labels, radius);
  const PointGrid target_grid(target, target_labels, radius);
  add_shares(source, source_patches, source_labels, target_grid,
             nodes_of_kept_points(target_patches, target.size()), radius, at);
  add_shares(target, target_patches, target_labels, source_grid,
             nodes_of_kept_points(source_patches, source.size()), radius,
             [&](std::int64_t t, std::int64_t s) -> float& { return at(s, t); });
  return result;
}

}  // namespace pmtr
