// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "pmtr/core/random.h"

namespace pmtr::bench {

using Size = std::int64_t;

inline std::vector<float> random_values(Size count, double low = -0.5, double high = 0.5) {
  static Random random(1);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(random.uniform(low, high));
  return values;
}

inline double bytes(std::initializer_list<Size> numbers) {
  double sum = 0;
  for (const Size count : numbers) sum += 4.0 * static_cast<double>(count);
  return sum;
}

inline double product(std::initializer_list<Size> factors) {
  double result = 1;
  for (const Size factor : factors) result *= static_cast<double>(factor);
  return result;
}

// Points on a sphere in random order and the nearest of them: as scattered in memory as those of a scan.
inline std::vector<float> sphere(Size count) {
  std::vector<float> points = random_values(count * 3, -1, 1);
  for (std::size_t i = 0; i < points.size(); i += 3) {
    const float norm = std::hypot(points[i], points[i + 1], points[i + 2]);
    for (std::size_t axis = 0; axis < 3; ++axis) points[i + axis] *= 0.35f / norm;
  }
  return points;
}

inline std::vector<std::int32_t> nearest(const std::vector<float>& queries,
                                         const std::vector<float>& supports, Size width) {
  std::vector<std::int32_t> table;
  std::vector<std::pair<float, std::int32_t>> all(supports.size() / 3);
  for (std::size_t q = 0; q < queries.size(); q += 3) {
    for (std::size_t s = 0; s < all.size(); ++s) {
      float squared = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const float d = queries[q + axis] - supports[s * 3 + axis];
        squared += d * d;
      }
      all[s] = {squared, static_cast<std::int32_t>(s)};
    }
    std::partial_sort(all.begin(), all.begin() + width, all.end());
    for (Size i = 0; i < width; ++i) table.push_back(all[static_cast<std::size_t>(i)].second);
  }
  return table;
}

struct Pyramid {
  std::vector<float> points[3] = {sphere(4806), sphere(2949), sphere(918)};
  std::vector<std::int32_t> same[3] = {nearest(points[0], points[0], 35), nearest(points[1], points[1], 32),
                                       nearest(points[2], points[2], 34)};
  std::vector<std::int32_t> down[2] = {nearest(points[1], points[0], 35), nearest(points[2], points[1], 32)};
  std::vector<std::int32_t> up[2] = {nearest(points[0], points[1], 1), nearest(points[1], points[2], 1)};
};

inline const Pyramid& pyramid() {
  static const Pyramid made;
  return made;
}

}  // namespace pmtr::bench
