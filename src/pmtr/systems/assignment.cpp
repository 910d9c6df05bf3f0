// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/assignment.h"

#include <algorithm>
#include <limits>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

/// Shortest augmenting paths on reduced costs: the cost of a pair is -score. A price of each row and column
/// keeps all reduced costs at 0 or above, and those of assigned pairs at 0.
class Assigner {
 public:
  Assigner(std::span<const float> scores, std::size_t count)
      : scores_(scores),
        count_(count),
        row_price_(count, 0.0),
        column_price_(count),
        row_of_(count, none),
        column_of_(count, none),
        distance_(count),
        came_from_(count),
        done_(count) {}

  std::vector<std::int32_t> solve() {
    begin();
    for (std::size_t row = 0; row < count_; ++row) {
      if (column_of_[row] == none) augment(row);
    }
    std::vector<std::int32_t> result(count_);
    for (std::size_t row = 0; row < count_; ++row) result[row] = static_cast<std::int32_t>(column_of_[row]);
    return result;
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  double cost(std::size_t row, std::size_t column) const {
    return -static_cast<double>(scores_[row * count_ + column]);
  }

  /// Prices by the smallest cost of each column, then of each row; pairs that are free and alone are
  /// assigned.
  void begin() {
    std::fill(column_price_.begin(), column_price_.end(), std::numeric_limits<double>::infinity());
    for (std::size_t row = 0; row < count_; ++row) {
      for (std::size_t column = 0; column < count_; ++column)
        column_price_[column] = std::min(column_price_[column], cost(row, column));
    }
    for (std::size_t row = 0; row < count_; ++row) {
      std::size_t best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t column = 0; column < count_; ++column) {
        const double reduced = cost(row, column) - column_price_[column];
        if (reduced < least) {
          least = reduced;
          best = column;
        }
      }
      row_price_[row] = least;
      if (row_of_[best] == none) {
        row_of_[best] = row;
        column_of_[row] = best;
      }
    }
  }

  /// Along the shortest path from a row without a column to a column without a row (Dijkstra).
  void augment(std::size_t start) {
    std::fill(distance_.begin(), distance_.end(), std::numeric_limits<double>::infinity());
    std::fill(done_.begin(), done_.end(), std::uint8_t{0});
    std::vector<std::size_t> reached;
    std::size_t row = start;
    double far = 0.0;
    std::size_t column = none;
    while (true) {
      std::size_t next = none;
      double nearest = std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < count_; ++j) {
        if (done_[j] != 0) continue;
        const double through = far + cost(row, j) - row_price_[row] - column_price_[j];
        if (through < distance_[j]) {
          distance_[j] = through;
          came_from_[j] = row;
        }
        if (distance_[j] < nearest) {
          nearest = distance_[j];
          next = j;
        }
      }
      PMTR_CHECK(next != none, "scores that are not finite");
      far = nearest;
      column = next;
      if (row_of_[column] == none) break;
      done_[column] = 1;
      reached.push_back(column);
      row = row_of_[column];
    }
    row_price_[start] += far;
    for (const std::size_t j : reached) {
      row_price_[row_of_[j]] += far - distance_[j];
      column_price_[j] -= far - distance_[j];
    }
    while (column != none) {
      const std::size_t from = came_from_[column];
      row_of_[column] = from;
      std::swap(column_of_[from], column);
      if (from == start) break;
    }
  }

  std::span<const float> scores_;
  std::size_t count_;
  std::vector<double> row_price_, column_price_;
  std::vector<std::size_t> row_of_, column_of_;
  std::vector<double> distance_;
  std::vector<std::size_t> came_from_;
  std::vector<std::uint8_t> done_;
};

}  // namespace

std::vector<std::int32_t> best_assignment(std::span<const float> scores, std::int64_t count) {
  PMTR_CHECK(count >= 0 && scores.size() == static_cast<std::size_t>(count * count), "a square of scores");
  return count == 0 ? std::vector<std::int32_t>{} : Assigner(scores, static_cast<std::size_t>(count)).solve();
}

}  // namespace pmtr
