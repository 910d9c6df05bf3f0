// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/fill_points.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace pmtr {
namespace {

using Eigen::Vector2d;

/// Samples of the borders by squares of a grid, to ask for the distance to the nearest.
class BorderSamples {
 public:
  BorderSamples(std::span<const Vector2d> points, std::span<const std::array<std::int32_t, 2>> borders,
                double reach)
      : reach_(reach) {
    for (const auto& [a, b] : borders) {
      const Vector2d& p = points[static_cast<std::size_t>(a)];
      const Vector2d& q = points[static_cast<std::size_t>(b)];
      const int steps = std::max(1, static_cast<int>(std::ceil((q - p).norm() / (0.4 * reach))));
      for (int i = 0; i < steps; ++i) {
        const Vector2d sample = p + (q - p) * (static_cast<double>(i) / steps);
        squares_[key(sample, 0, 0)].push_back(sample);
      }
    }
  }
  bool near(const Vector2d& p) const {
    for (int dx = -1; dx <= 1; ++dx) {
      for (int dy = -1; dy <= 1; ++dy) {
        const auto square = squares_.find(key(p, dx, dy));
        if (square == squares_.end()) continue;
        for (const Vector2d& sample : square->second)
          if ((sample - p).squaredNorm() < reach_ * reach_) return true;
      }
    }
    return false;
  }

 private:
  std::int64_t key(const Vector2d& p, int dx, int dy) const {
    const auto x = static_cast<std::int64_t>(std::floor(p.x() / reach_)) + dx;
    const auto y = static_cast<std::int64_t>(std::floor(p.y() / reach_)) + dy;
    return x * 2147483647 + y;
  }
  double reach_;
  std::unordered_map<std::int64_t, std::vector<Vector2d>> squares_;
};

}  // namespace

std::vector<Vector2d> fill_points(std::span<const Vector2d> points,
                                  std::span<const std::array<std::int32_t, 2>> borders, double spacing,
                                  Random& random) {
  std::vector<Vector2d> filled;
  double low = points.front().y();
  double high = low;
  for (const Vector2d& p : points) {
    low = std::min(low, p.y());
    high = std::max(high, p.y());
  }
  const BorderSamples samples(points, borders, 0.7 * spacing);
  const double row_step = spacing * std::sqrt(3.0) / 2;
  const auto rows = static_cast<std::size_t>((high - low) / row_step) + 1;
  const double first_row = low + row_step * random.uniform();
  std::vector<std::vector<double>> crossings(rows + 1);
  for (const auto& [a, b] : borders) {
    Vector2d p = points[static_cast<std::size_t>(a)];
    Vector2d q = points[static_cast<std::size_t>(b)];
    if (p.y() > q.y()) std::swap(p, q);
    const double from = std::ceil((p.y() - first_row) / row_step);
    for (auto i = static_cast<std::size_t>(std::max(from, 0.0)); i < crossings.size(); ++i) {
      const double y = first_row + static_cast<double>(i) * row_step;
      if (y >= q.y()) break;
      crossings[i].push_back(p.x() + (q.x() - p.x()) * (y - p.y()) / (q.y() - p.y()));
    }
  }
  for (std::size_t i = 0; i < crossings.size(); ++i) {
    std::sort(crossings[i].begin(), crossings[i].end());
    const double y = first_row + static_cast<double>(i) * row_step;
    const double shift = i % 2 == 0 ? 0.0 : 0.5;
    for (std::size_t k = 0; k + 1 < crossings[i].size(); k += 2) {
      for (double c = std::ceil(crossings[i][k] / spacing - shift) + shift; c * spacing < crossings[i][k + 1];
           ++c) {
        const Vector2d shaken(c * spacing + spacing * random.uniform(-0.25, 0.25),
                              y + spacing * random.uniform(-0.2, 0.2));
        // A point that was inside before it was shaken, and is not near the border, is inside.
        if (!samples.near({c * spacing, y}) && !samples.near(shaken)) filled.push_back(shaken);
      }
    }
  }
  return filled;
}

}  // namespace pmtr
