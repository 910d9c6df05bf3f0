// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/breaks/break_labels.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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
  const NeighbourTable table =
      find_neighbours(cloud.points, cloud.points, radius, 24, TieOrder::index, threads);
  for (std::size_t i = 0; i < result.size(); ++i) {
    float sum = 0.0F, total = 0.0F;
    for (const std::int32_t k : table.row(static_cast<std::int64_t>(i))) {
      const auto j = static_cast<std::size_t>(k);
      if (j >= result.size()) break;
      const float c = cloud.normals[i].dot(cloud.normals[j]);
      if (c <= least_agreement) continue;
      sum += c * c * probability[j];
      total += c * c;
    }
    if (total > 0.0F) result[i] = sum / total;
  }
  return result;
}

}  // namespace pmtr
