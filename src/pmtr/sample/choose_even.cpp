// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/choose_even.h"

#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

constexpr std::int32_t none = -1;
constexpr float same_side = -0.5F;     // cosine of 120 degrees
constexpr float shrink = 0.95F;        // of the distance from one round to the next
constexpr float least_shrunk = 1e-3F;  // then the rest coincides, and any will do

// The points chosen so far, in lists by the cell of a grid. Cells that share a place in the table share a
// list: that only costs a look at a few points that are too far away anyway.
class Chosen {
 public:
  Chosen(std::size_t count, float largest_distance)
      : per_cell_(0.5F / largest_distance), first_(std::bit_ceil(4 * count), none) {
    entries_.reserve(count);
  }

  std::size_t size() const { return entries_.size(); }

  bool too_close(std::int32_t chosen, const Eigen::Vector3f& p, const Eigen::Vector3f& normal,
                 float squared_distance) const {
    const Entry& entry = entries_[static_cast<std::size_t>(chosen)];
    return (entry.position - p).squaredNorm() < squared_distance && entry.normal.dot(normal) > same_side;
  }

  /// One that is too close, or none.
  std::int32_t find(const Eigen::Vector3f& p, const Eigen::Vector3f& normal, float squared_distance) const {
    // A cell is two distances wide, so a ball around p touches at most two cells in each direction.
    const Eigen::Vector3f corner = p * per_cell_ - Eigen::Vector3f::Constant(0.5F);
    const std::array<std::int64_t, 3> cell = cell_of(corner);
    for (std::int64_t i = 0; i < 8; ++i) {
      const std::size_t place = place_of({cell[0] + (i & 1), cell[1] + (i >> 1 & 1), cell[2] + (i >> 2)});
      for (std::int32_t at = first_[place]; at != none; at = entries_[static_cast<std::size_t>(at)].next) {
        if (too_close(at, p, normal, squared_distance)) return at;
      }
    }
    return none;
  }

  void add(const Eigen::Vector3f& p, const Eigen::Vector3f& normal) {
    std::int32_t& first = first_[place_of(cell_of(p * per_cell_))];
    entries_.push_back({p, normal, first});
    first = static_cast<std::int32_t>(entries_.size() - 1);
  }

 private:
  struct Entry {
    Eigen::Vector3f position;
    Eigen::Vector3f normal;
    std::int32_t next;
  };

  static std::array<std::int64_t, 3> cell_of(const Eigen::Vector3f& p) {
    return {static_cast<std::int64_t>(std::floor(p.x())), static_cast<std::int64_t>(std::floor(p.y())),
            static_cast<std::int64_t>(std::floor(p.z()))};
  }

  std::size_t place_of(const std::array<std::int64_t, 3>& cell) const {
    std::uint64_t h = static_cast<std::uint64_t>(cell[0]) * 0x9e3779b97f4a7c15ULL;
    h ^= static_cast<std::uint64_t>(cell[1]) * 0xc2b2ae3d27d4eb4fULL;
    h ^= static_cast<std::uint64_t>(cell[2]) * 0x165667b19e3779f9ULL;
    h ^= h >> 32U;
    return static_cast<std::size_t>(h) & (first_.size() - 1);
  }

  float per_cell_;
  std::vector<std::int32_t> first_;
  std::vector<Entry> entries_;
};

}  // namespace

std::vector<std::uint32_t> choose_even(std::span<const Eigen::Vector3f> points,
                                       std::span<const Eigen::Vector3f> normals, std::size_t count,
                                       float distance) {
  PMTR_CHECK(normals.empty() || normals.size() == points.size());
  PMTR_CHECK(distance > 0.0F);
  std::vector<std::uint32_t> waiting(points.size());
  std::iota(waiting.begin(), waiting.end(), 0U);
  if (points.size() <= count) return waiting;

  Chosen chosen(count, distance);
  std::vector<std::uint32_t> result;
  result.reserve(count);
  // Who was in the way last time: usually still is, which saves the search.
  std::vector<std::int32_t> in_the_way(points.size(), none);
  const float least = distance * least_shrunk;
  for (float d = distance; result.size() < count; d = d > least ? d * shrink : 0.0F) {
    std::size_t still_waiting = 0;
    for (const std::uint32_t c : waiting) {
      if (result.size() == count) break;
      const Eigen::Vector3f normal = normals.empty() ? Eigen::Vector3f(Eigen::Vector3f::Zero()) : normals[c];
      std::int32_t& obstacle = in_the_way[c];
      if (obstacle == none || !chosen.too_close(obstacle, points[c], normal, d * d)) {
        obstacle = chosen.find(points[c], normal, d * d);
      }
      if (obstacle == none) {
        chosen.add(points[c], normal);
        result.push_back(c);
      } else {
        waiting[still_waiting++] = c;
      }
    }
    waiting.resize(still_waiting);
  }
  return result;
}

}  // namespace pmtr
