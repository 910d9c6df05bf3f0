// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/breaks/break_labels.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pmtr/breaks/point_cells.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

constexpr float least_agreement = 0.5F;  // of two normals on one face, as a cosine
constexpr std::size_t looked_at = 400;   // points that are enough for a median

/// As if the surface were that of its box: no closed surface has much less.
float first_guess(const PointCloud& cloud) {
  Eigen::Vector3f low = cloud.points[0], high = cloud.points[0];
  for (const auto& p : cloud.points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const Eigen::Vector3f side = high - low;
  const float area = 2.0F * (side.x() * side.y() + side.y() * side.z() + side.z() * side.x());
  return std::sqrt(std::max(area, side.squaredNorm() * 1e-4F) / static_cast<float>(cloud.points.size()));
}

/// The mean of the probabilities of point i and those of `near` within the radius whose normals agree with
/// it.
float agreeing_mean(const PointCloud& cloud, std::span<const float> probability,
                    std::span<const std::uint32_t> near, std::uint32_t i, float radius) {
  const float limit = radius * radius;
  float sum = 0.0F, total = 0.0F;
  for (const std::uint32_t j : near) {
    if ((cloud.points[j] - cloud.points[i]).squaredNorm() >= limit) continue;
    const float c = cloud.normals[i].dot(cloud.normals[j]);
    if (c <= least_agreement) continue;
    sum += c * c * probability[j];
    total += c * c;
  }
  return total > 0.0F ? sum / total : probability[i];
}

}  // namespace

float point_spacing(const PointCloud& cloud, Threads& threads) {
  const std::size_t count = cloud.points.size();
  if (count < 2) return 0.0F;
  const float guess = first_guess(cloud);
  if (!(guess > 0.0F)) return 0.0F;
  std::vector<Eigen::Vector3f> some;
  std::vector<std::size_t> place;
  for (std::size_t i = 0; i < count; i += 1 + count / looked_at) {
    some.push_back(cloud.points[i]);
    place.push_back(i);
  }
  const NeighbourTable table =
      find_neighbours(some, cloud.points, 3.0F * guess, 24, TieOrder::index, threads);
  std::vector<float> spacings;
  for (std::size_t i = 0; i < some.size(); ++i) {
    int agreeing = 0;
    float distance = 0.0F;
    for (const std::int32_t j : table.row(static_cast<std::int64_t>(i))) {
      const auto other = static_cast<std::size_t>(j);
      if (other >= count || agreeing == 8) break;
      if (other == place[i] || cloud.normals[other].dot(cloud.normals[place[i]]) < least_agreement) continue;
      ++agreeing;
      distance = (cloud.points[other] - some[i]).norm();
    }
    // Halfway to the next one the disc holds this many points besides half of the last.
    if (agreeing > 0)
      spacings.push_back(distance *
                         std::sqrt(std::numbers::pi_v<float> / (static_cast<float>(agreeing) + 0.5F)));
  }
  if (spacings.empty()) return 0.0F;
  const auto middle = spacings.begin() + static_cast<std::ptrdiff_t>(spacings.size() / 2);
  std::nth_element(spacings.begin(), middle, spacings.end());
  return *middle;
}

std::vector<float> smooth_labels(const PointCloud& cloud, std::span<const float> probability, float radius,
                                 Threads& threads) {
  std::vector<float> result(probability.begin(), probability.end());
  if (!(radius > 0.0F)) return result;
  const PointCells cells(cloud.points, radius);
  threads.parallel_for(
      static_cast<std::int64_t>(cells.cells().size()), 32, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::uint32_t> near;
        for (auto c = static_cast<std::size_t>(begin); c < static_cast<std::size_t>(end); ++c) {
          const PointCells::Cell& cell = cells.cells()[c];
          near.clear();
          cells.visit_around(cell.place, [&](std::uint32_t j) { near.push_back(j); });
          for (std::uint32_t k = cell.begin; k < cell.end; ++k) {
            const std::uint32_t i = cells.order()[k];
            result[i] = agreeing_mean(cloud, probability, near, i, radius);
          }
        }
      });
  return result;
}

}  // namespace pmtr
