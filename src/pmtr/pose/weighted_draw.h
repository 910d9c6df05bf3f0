// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {

/// Draws fracture points with probability by fracture score.
class WeightedDraw {
 public:
  explicit WeightedDraw(std::span<const OrientedPoint> points) {
    double sum = 0.0;
    for (const auto& p : points) {
      sum += std::max(1e-6, static_cast<double>(p.score));
      cumulative_.push_back(sum);
    }
  }

  std::size_t operator()(Random& random) const {
    const double at = random.uniform() * cumulative_.back();
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), at);
    return std::min(static_cast<std::size_t>(found - cumulative_.begin()), cumulative_.size() - 1);
  }

 private:
  std::vector<double> cumulative_;
};

}  // namespace pmtr
