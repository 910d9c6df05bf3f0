// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/jigsaw_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pmtr/core/check.h"
#include "pmtr/core/threads.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

constexpr float any_distance = 1e9F;
constexpr int interpolated = 3;

/// The nearest supports of each query as rows of exactly `width`: where there are fewer, the nearest comes
/// again. Every query has one support at least. `first` is added to the indices.
void append_nearest(std::span<const Eigen::Vector3f> queries, std::span<const Eigen::Vector3f> supports,
                    float radius, int width, std::int64_t first, std::vector<std::int32_t>& out) {
  const NeighbourTable table =
      find_neighbours(queries, supports, radius, width, TieOrder::index, Threads::none());
  const auto none = static_cast<std::int32_t>(supports.size());
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const auto row = table.row(i);
    PMTR_CHECK(!row.empty() && row[0] != none, "a point without a neighbour");
    for (std::int64_t k = 0; k < width; ++k) {
      const std::int32_t found = k < table.width ? row[static_cast<std::size_t>(k)] : none;
      out.push_back((found == none ? row[0] : found) + static_cast<std::int32_t>(first));
    }
  }
}

/// By inverse squared distance of the three nearest, as PointNet++ interpolates.
void append_weights(std::span<const Eigen::Vector3f> fine, std::span<const Eigen::Vector3f> coarse,
                    std::span<const std::int32_t> nearest, std::int64_t first, std::vector<float>& out) {
  for (std::size_t i = 0; i < fine.size(); ++i) {
    std::array<float, interpolated> weight{};
    float sum = 0.0F;
    for (std::size_t k = 0; k < interpolated; ++k) {
      const auto at = static_cast<std::size_t>(nearest[i * interpolated + k] - first);
      weight[k] = 1.0F / ((coarse[at] - fine[i]).squaredNorm() + 1e-8F);
      sum += weight[k];
    }
    for (const float one : weight) out.push_back(one / sum);
  }
}

}  // namespace

std::vector<std::int32_t> farthest_points(std::span<const Eigen::Vector3f> points, std::size_t count) {
  PMTR_CHECK(!points.empty() && count >= 1 && count <= points.size(), "one point to all of them");
  std::vector<std::int32_t> chosen{0};
  std::vector<float> distance(points.size(), std::numeric_limits<float>::infinity());
  while (chosen.size() < count) {
    const Eigen::Vector3f last = points[static_cast<std::size_t>(chosen.back())];
    std::size_t farthest = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      distance[i] = std::min(distance[i], (points[i] - last).squaredNorm());
      if (distance[i] > distance[farthest]) farthest = i;
    }
    chosen.push_back(static_cast<std::int32_t>(farthest));
  }
  return chosen;
}

JigsawGroups group_points(std::span<const Eigen::Vector3f> points, std::span<const std::int64_t> sizes) {
  JigsawGroups groups;
  std::array<std::int64_t, jigsaw_stages.size() + 1> begin{};  // of this fragment, in each cloud
  for (const std::int64_t size : sizes) {
    std::vector<Eigen::Vector3f> fine(points.begin() + begin[0], points.begin() + begin[0] + size);
    append_nearest(fine, fine, any_distance, jigsaw_attended, begin[0], groups.attended);
    for (std::size_t stage = 0; stage < jigsaw_stages.size(); ++stage) {
      JigsawLevel& level = groups.levels[stage];
      const auto count = static_cast<std::size_t>(
          std::max(1.0, std::round(jigsaw_stages[stage].share * static_cast<double>(fine.size()))));
      const std::vector<std::int32_t> centres = farthest_points(fine, count);
      std::vector<Eigen::Vector3f> coarse;
      for (const std::int32_t centre : centres) {
        coarse.push_back(fine[static_cast<std::size_t>(centre)]);
        level.centres.push_back(centre + static_cast<std::int32_t>(begin[stage]));
      }
      for (std::size_t r = 0; r < 2; ++r)
        append_nearest(coarse, fine, jigsaw_stages[stage].radii[r], jigsaw_neighbours[r], begin[stage],
                       level.neighbours[r]);
      const std::size_t before = level.nearest.size();
      append_nearest(fine, coarse, any_distance, interpolated, begin[stage + 1], level.nearest);
      append_weights(fine, coarse, std::span(level.nearest).subspan(before), begin[stage + 1], level.weights);
      begin[stage] += static_cast<std::int64_t>(fine.size());
      fine = std::move(coarse);
    }
    begin.back() += static_cast<std::int64_t>(fine.size());
  }
  PMTR_CHECK(begin[0] == static_cast<std::int64_t>(points.size()), "sizes cover all points");
  return groups;
}

}  // namespace pmtr
