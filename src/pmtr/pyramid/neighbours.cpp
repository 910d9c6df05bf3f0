// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pyramid/neighbours.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "pmtr/core/check.h"
#include "pmtr/pyramid/reference_search.h"
#include "pmtr/pyramid/search_tree.h"

namespace pmtr {
namespace {

using Lane = SearchTree::Lane;
using Lanes = std::array<Lane, SearchTree::block_size / SearchTree::lane_size>;
using Counts = std::int32_t __attribute__((vector_size(sizeof(Lane))));

// Squared distance and index in one number that sorts the way rows are sorted: the bits of floats that are
// not negative have the order of the floats.
using Key = std::uint64_t;
Key key_of(float distance, std::int32_t index) {
  return Key{std::bit_cast<std::uint32_t>(distance)} << 32U | static_cast<std::uint32_t>(index);
}
float distance_of(Key key) { return std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32U)); }
std::int32_t index_of(Key key) { return static_cast<std::int32_t>(key & 0xffffffffU); }

// The same operations in the same order as for a point, on values that are nearer: rounding is monotonic, so
// this is never more than the computed distance of any point in the box.
float distance_to_box(Lane q, const SearchTree::Superpoint& superpoint) {
  const Lane below = superpoint.low - q;
  const Lane above = q - superpoint.high;
  Lane d = below > above ? below : above;
  d = d > 0.0F ? d : Lane{};
  d *= d;
  return d[0] + d[1] + d[2];
}

Lane lane_of(const Eigen::Vector3f& q) { return Lane{q.x(), q.y(), q.z(), 0.0F}; }

Lanes distances_to(const Eigen::Vector3f& q, const SearchTree::Block& block) {
  Lanes result;
  for (std::size_t l = 0; l < result.size(); ++l) {
    const Lane dx = block.x[l] - q.x();
    const Lane dy = block.y[l] - q.y();
    const Lane dz = block.z[l] - q.z();
    result[l] = dx * dx + dy * dy + dz * dz;
  }
  return result;
}

// Searches one query after the other. What it found for one bounds the search for the next: with k supports
// within d of q, there are k within d + |q - p| of p. Rows do not depend on these bounds, only the time does.
class Searcher {
 public:
  Searcher(const SearchTree& tree, float radius, int limit)
      : tree_(tree),
        // Strictly within: the largest distance that still counts.
        within_(std::nextafter(radius * radius, 0.0F)),
        wanted_(static_cast<std::size_t>(limit)),
        capacity_(std::max<std::size_t>(256, 4 * wanted_)),
        distance_(capacity_ + SearchTree::block_size),
        index_(capacity_ + SearchTree::block_size) {}

  /// The number of neighbours written to row, nearest first, equal distances by index.
  int search(const Eigen::Vector3f& q, std::int32_t* row) {
    set_bound(q);
    collect(q);
    const int found = sort_into(row);
    last_query_ = q;
    have_last_ = found == static_cast<int>(wanted_);
    return found;
  }

  /// Whether equal distances may have had a say in the last row.
  bool tied() const { return tied_; }

 private:
  void set_bound(const Eigen::Vector3f& q) {
    bound_index_ = std::numeric_limits<std::int32_t>::max();
    bound_ = within_;
    if (static_cast<std::size_t>(tree_.size()) < wanted_) return;
    const float last = std::sqrt(last_distance_);
    const float step = have_last_ ? (q - last_query_).norm() : 0.0F;
    float reach = 0.0F;
    if (have_last_ && step <= last) {
      reach = (last + step) * (last + step);
    } else {
      reach = distance_to_enough(q);
    }
    // A little more than the rounding of the lines above.
    reach = reach * 1.00001F + std::numeric_limits<float>::min();
    bound_ = std::min(bound_, reach);
  }

  // Within this distance of q there are enough points in a superpoint near it alone.
  float distance_to_enough(const Eigen::Vector3f& q) {
    const auto superpoints = tree_.superpoints();
    const auto points_in = [&](const SearchTree::Superpoint& superpoint) {
      const auto end =
          std::min<std::int64_t>(std::int64_t{superpoint.block_end} * SearchTree::block_size, tree_.size());
      return static_cast<std::size_t>(end - std::int64_t{superpoint.first_block} * SearchTree::block_size);
    };
    const Lane lane = lane_of(q);
    std::size_t at = 0;
    while (superpoints[at].block_end - superpoints[at].first_block > 1) {
      const std::size_t left = at + 1;
      const auto right = static_cast<std::size_t>(superpoints[left].skip);
      const std::size_t nearer =
          distance_to_box(lane, superpoints[right]) < distance_to_box(lane, superpoints[left]) ? right : left;
      if (points_in(superpoints[nearer]) < wanted_) break;
      at = nearer;
    }
    nearby_.clear();
    for (auto b = superpoints[at].first_block; b < superpoints[at].block_end; ++b) {
      const Lanes d = distances_to(q, tree_.blocks()[static_cast<std::size_t>(b)]);
      for (const Lane& values : d)
        nearby_.insert(nearby_.end(), {values[0], values[1], values[2], values[3]});
    }
    const auto last = nearby_.begin() + static_cast<std::ptrdiff_t>(wanted_ - 1);
    std::nth_element(nearby_.begin(), last, nearby_.end());
    return *last;
  }

  void collect(const Eigen::Vector3f& q) {
    found_ = 0;
    tied_ = false;
    const auto superpoints = tree_.superpoints();
    const auto blocks = tree_.blocks();
    const Lane lane = lane_of(q);
    for (std::size_t at = 0; at < superpoints.size();) {
      const SearchTree::Superpoint& superpoint = superpoints[at];
      const float nearest = distance_to_box(lane, superpoint);
      if (nearest > bound_ || (nearest == bound_ && superpoint.smallest_index > bound_index_)) {
        tied_ |= nearest == bound_;
        at = static_cast<std::size_t>(superpoint.skip);
        continue;
      }
      ++at;
      if (superpoint.block_end - superpoint.first_block > 1) continue;
      const SearchTree::Block& block = blocks[static_cast<std::size_t>(superpoint.first_block)];
      const Lanes d = distances_to(q, block);
      for (std::size_t i = 0; i < SearchTree::block_size; ++i) {
        const float value = d[i / SearchTree::lane_size][i % SearchTree::lane_size];
        distance_[found_] = value;
        index_[found_] = block.index[i];
        found_ += value <= bound_ ? 1 : 0;
      }
      if (found_ > capacity_) keep_nearest();
    }
  }

  void gather_keys() {
    keys_.resize(found_);
    for (std::size_t i = 0; i < found_; ++i) keys_[i] = key_of(distance_[i], index_[i]);
  }

  void keep_nearest() {
    gather_keys();
    std::nth_element(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(wanted_ - 1), keys_.end());
    bound_ = distance_of(keys_[wanted_ - 1]);
    bound_index_ = index_of(keys_[wanted_ - 1]);
    tied_ |= std::any_of(keys_.begin() + static_cast<std::ptrdiff_t>(wanted_), keys_.end(),
                         [&](Key key) { return distance_of(key) == bound_; });
    found_ = wanted_;
    for (std::size_t i = 0; i < found_; ++i) {
      distance_[i] = distance_of(keys_[i]);
      index_[i] = index_of(keys_[i]);
    }
  }

  int sort_into(std::int32_t* row) {
    const std::size_t kept = std::min(found_, wanted_);
    if (kept == 0 || (found_ <= most_counted && sort_by_counting(row, kept))) return static_cast<int>(kept);
    gather_keys();
    const std::size_t sorted = std::min(found_, kept + 1);
    std::partial_sort(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(sorted), keys_.end());
    for (std::size_t i = 0; i < kept; ++i) row[i] = index_of(keys_[i]);
    for (std::size_t i = 1; i < sorted; ++i) tied_ |= distance_of(keys_[i - 1]) == distance_of(keys_[i]);
    last_distance_ = distance_of(keys_[kept - 1]);
    return static_cast<int>(kept);
  }

  // The place of a candidate is the number of candidates nearer than it. Without branches this beats any sort
  // of so few. False if two of the distances are equal: then the places are not those of the row.
  bool sort_by_counting(std::int32_t* row, std::size_t kept) {
    constexpr std::size_t lane_size = SearchTree::lane_size;
    std::array<Lane, (most_counted + lane_size - 1) / lane_size> lanes;
    const std::size_t used = (found_ + lane_size - 1) / lane_size;
    std::fill_n(distance_.begin() + static_cast<std::ptrdiff_t>(found_), used * lane_size - found_,
                std::numeric_limits<float>::infinity());
    std::memcpy(lanes.data(), distance_.data(), used * sizeof(Lane));
    std::fill_n(row, kept, -1);
    std::size_t placed = 0;
    for (std::size_t i = 0; i < found_; ++i) {
      Counts nearer{};
      for (std::size_t l = 0; l < used; ++l) nearer -= lanes[l] < distance_[i];
      const std::int32_t sum = nearer[0] + nearer[1] + nearer[2] + nearer[3];
      const auto place = static_cast<std::size_t>(sum);
      if (place >= kept) continue;
      ++placed;
      row[place] = index_[i];
      if (place + 1 == kept) last_distance_ = distance_[i];
    }
    return placed == kept && std::find(row, row + kept, -1) == row + kept;
  }

  static constexpr std::size_t most_counted = 160;  // counting is quadratic

  const SearchTree& tree_;
  float within_;
  std::size_t wanted_;
  std::size_t capacity_;

  float bound_ = 0.0F;
  std::int32_t bound_index_ = 0;
  std::size_t found_ = 0;
  bool tied_ = false;
  std::vector<float> distance_;
  std::vector<std::int32_t> index_;
  std::vector<Key> keys_;
  std::vector<float> nearby_;

  bool have_last_ = false;
  Eigen::Vector3f last_query_ = Eigen::Vector3f::Zero();
  float last_distance_ = 0.0F;
};

void sort_ties_as_reference(const SearchTree& queries, const SearchTree& supports, float radius,
                            std::span<const char> tied, NeighbourTable& table, Threads& threads) {
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < tied.size(); ++i) {
    if (tied[i] != 0) rows.push_back(static_cast<std::int64_t>(i));
  }
  if (rows.empty()) return;
  const ReferenceSearch reference(supports.points());
  threads.parallel_for(static_cast<std::int64_t>(rows.size()), 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = rows[static_cast<std::size_t>(i)];
      reference.search(queries.points()[static_cast<std::size_t>(row)], radius,
                       {table.index.data() + row * table.width, static_cast<std::size_t>(table.width)});
    }
  });
}

}  // namespace

NeighbourTable find_neighbours(const SearchTree& queries, const SearchTree& supports, float radius, int limit,
                               TieOrder ties, Threads& threads) {
  PMTR_CHECK(radius > 0.0F && limit > 0, "radius and limit must be positive");
  const std::int64_t rows = queries.size();
  const std::int64_t width = std::min<std::int64_t>(limit, supports.size());
  NeighbourTable table{.rows = rows, .width = width, .index = {}};
  table.index.assign(static_cast<std::size_t>(rows * width), supports.size());
  if (width == 0) return table;

  std::vector<std::int32_t> counts(static_cast<std::size_t>(rows));
  std::vector<char> tied(static_cast<std::size_t>(rows));
  threads.parallel_for(rows, 128, [&](std::int64_t begin, std::int64_t end) {
    Searcher searcher(supports, radius, static_cast<int>(width));
    for (std::int64_t i = begin; i < end; ++i) {
      const auto query = static_cast<std::size_t>(queries.order()[static_cast<std::size_t>(i)]);
      counts[query] = searcher.search(queries.points()[query],
                                      table.index.data() + static_cast<std::int64_t>(query) * width);
      tied[query] = searcher.tied() ? 1 : 0;
    }
  });
  if (ties == TieOrder::reference) sort_ties_as_reference(queries, supports, radius, tied, table, threads);

  const std::int64_t widest = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  if (widest < width) {
    for (std::int64_t i = 0; i < rows; ++i) {
      std::copy_n(table.index.begin() + i * width, widest, table.index.begin() + i * widest);
    }
    table.width = widest;
    table.index.resize(static_cast<std::size_t>(rows * widest));
    table.index.shrink_to_fit();
  }
  return table;
}

NeighbourTable find_neighbours(std::span<const Eigen::Vector3f> queries,
                               std::span<const Eigen::Vector3f> supports, float radius, int limit,
                               TieOrder ties, Threads& threads) {
  const SearchTree support_tree(supports);
  if (queries.data() == supports.data() && queries.size() == supports.size()) {
    return find_neighbours(support_tree, support_tree, radius, limit, ties, threads);
  }
  return find_neighbours(SearchTree(queries), support_tree, radius, limit, ties, threads);
}

}  // namespace pmtr
