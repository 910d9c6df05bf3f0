// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace pmtr::test {

/// The largest |a - b| of two arrays; infinite if their sizes differ or a difference is not a number.
template <class A, class B>
double largest_difference(const A& a, const B& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k]));
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

template <class A>
double largest_magnitude(const A& a) {
  double largest = 0;
  for (const auto x : a) largest = std::max(largest, std::abs(static_cast<double>(x)));
  return largest;
}

}  // namespace pmtr::test
