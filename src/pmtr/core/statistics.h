// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pmtr {

/// The value below which `share` (0 to 1) of the values lie: always one of them, the lower one where the rank
/// falls between two. Zero if there are none. Takes a copy, since finding it reorders.
template <class T>
T percentile(std::vector<T> values, double share) {
  if (values.empty()) return T{0};
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

/// The middle value; the upper one of two. Zero if there are none.
template <class T>
T median(std::vector<T> values) {
  if (values.empty()) return T{0};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Of sorted values, with a straight line between the two next to the rank. Zero if there are none.
inline double interpolated_percentile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0.0;
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace pmtr
