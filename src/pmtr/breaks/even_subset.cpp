// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/breaks/even_subset.h"

#include <limits>

#include "pmtr/breaks/point_cells.h"

namespace pmtr {

EvenSubset choose_apart(std::span<const Eigen::Vector3f> points, std::span<const Eigen::Vector3f> normals,
                        float distance) {
  EvenSubset result;
  result.owner.resize(points.size());
  const PointCells cells(points, distance);
  std::vector<float> nearest(points.size(), std::numeric_limits<float>::infinity());
  const float limit = distance * distance;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    if (nearest[i] < limit) continue;
    const auto place = static_cast<std::uint32_t>(result.chosen.size());
    result.chosen.push_back(i);
    cells.visit_around(cells.place_of(points[i]), [&](std::uint32_t j) {
      const float squared = (points[j] - points[i]).squaredNorm();
      if (squared >= limit || squared >= nearest[j] || normals[i].dot(normals[j]) < 0.0F) return;
      nearest[j] = squared;
      result.owner[j] = place;
    });
    nearest[i] = 0.0F;
    result.owner[i] = place;
  }
  return result;
}

}  // namespace pmtr
