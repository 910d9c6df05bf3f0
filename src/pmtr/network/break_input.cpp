// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/break_input.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_set>

#include "pmtr/core/check.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

/// About how many points the first coarser level has, at most: the same for every fragment, so that small
/// ones are seen as large. Each further level has a quarter.
constexpr double most_points = 1600.0;
/// And at most this share of the dense points.
constexpr double coarser = 0.4;
constexpr std::array<int, BreakInput::levels> heard_within = {12, 16, 16, 24};
constexpr std::array<int, BreakInput::levels> heard_up = {0, 16, 16, 16};
constexpr std::array<int, BreakInput::levels> heard_down = {4, 4, 4, 0};

/// Which of six directions a normal is nearest to: the two sides of a thin wall are two places.
std::uint64_t facing(const Eigen::Vector3f& normal) {
  Eigen::Index axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  return static_cast<std::uint64_t>(2 * axis + (normal[axis] < 0.0F ? 1 : 0));
}

/// The first point of every small cube and direction.
std::vector<std::int32_t> choose_points(const PointCloud& cloud, float edge) {
  std::unordered_set<std::uint64_t> taken;
  std::vector<std::int32_t> chosen;
  for (std::size_t i = 0; i < cloud.points.size(); ++i) {
    std::uint64_t key = facing(cloud.normals[i]);
    for (int k = 0; k < 3; ++k) {
      const auto cell = static_cast<std::int64_t>(std::floor(cloud.points[i][k] / edge));
      key = key << 20 | (static_cast<std::uint64_t>(cell) & 0xfffffU);
    }
    if (taken.insert(key).second) chosen.push_back(static_cast<std::int32_t>(i));
  }
  return chosen;
}

PointCloud part_of(const PointCloud& cloud, std::span<const std::int32_t> chosen) {
  PointCloud part;
  for (const std::int32_t i : chosen) {
    part.points.push_back(cloud.points[static_cast<std::size_t>(i)]);
    part.normals.push_back(cloud.normals[static_cast<std::size_t>(i)]);
  }
  return part;
}

/// With u from the listener to the speaker in units of `length`: how far, and how both normals lie to it and
/// to each other.
void describe_edge(const PointCloud& to, std::size_t i, const PointCloud& from, std::size_t j, float length,
                   float* out) {
  const Eigen::Vector3f u = (from.points[j] - to.points[i]) / length;
  const float distance = u.norm();
  const float own = to.normals[i].dot(u), other = from.normals[j].dot(u);
  const float cosine = to.normals[i].dot(from.normals[j]);
  out[0] = distance - 1.5F;
  out[1] = 0.25F * distance * distance - 0.5F;
  out[2] = own;
  out[3] = other;
  out[4] = std::abs(own);
  out[5] = std::abs(other);
  out[6] = cosine;
  out[7] = cosine * cosine;
  for (int k = 0; k < BreakEdges::numbers; ++k) out[k] = std::clamp(out[k], -4.0F, 4.0F);
}

BreakEdges find_edges(const PointCloud& to, const PointCloud& from, int most, float length,
                      Threads& threads) {
  BreakEdges edges;
  edges.table = find_neighbours(to.points, from.points, /*radius=*/1e6F, most, TieOrder::index, threads);
  const std::int64_t width = edges.table.width;
  edges.values.assign(static_cast<std::size_t>(edges.table.rows * width * BreakEdges::numbers), 0.0F);
  threads.parallel_for(edges.table.rows, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto row = edges.table.row(i);
      for (std::int64_t s = 0; s < width; ++s) {
        const auto j = static_cast<std::size_t>(row[static_cast<std::size_t>(s)]);
        if (j >= from.points.size()) break;
        describe_edge(to, static_cast<std::size_t>(i), from, j, length,
                      edges.values.data() + (i * width + s) * BreakEdges::numbers);
      }
    }
  });
  return edges;
}

}  // namespace

BreakInput find_break_input(const PointCloud& given, double given_area, double object_size,
                            Threads& threads) {
  PMTR_CHECK(given.normals.size() == given.points.size(), "a break is seen by its normals");
  PMTR_CHECK(object_size > 0.0, "an object has a size");
  BreakInput input;
  if (given.points.empty()) return input;
  PointCloud dense = given;
  const auto scale = static_cast<float>(1.0 / object_size);
  if (scale != 1.0F)
    for (Eigen::Vector3f& point : dense.points) point *= scale;
  const double area = given_area / (object_size * object_size);
  input.features = find_shape_features(dense, area, threads);
  std::array<PointCloud, BreakInput::levels> clouds;
  std::array<float, BreakInput::levels> spacing{};
  clouds[0] = std::move(dense);
  spacing[0] =
      static_cast<float>(std::sqrt(std::max(area, 1e-12) / static_cast<double>(given.points.size())));
  double points = std::min(most_points, coarser * static_cast<double>(given.points.size()));
  for (std::size_t k = 1; k < BreakInput::levels; ++k, points /= 4.0) {
    // A cube that a surface crosses holds about 0.7 of its face's area.
    spacing[k] = static_cast<float>(1.2 * std::sqrt(std::max(area, 1e-12) / points));
    input.chosen[k] = choose_points(clouds[k - 1], spacing[k]);
    clouds[k] = part_of(clouds[k - 1], input.chosen[k]);
  }
  for (std::size_t k = 0; k < BreakInput::levels; ++k) {
    input.sizes[k] = static_cast<std::int64_t>(clouds[k].points.size());
    input.within[k] = find_edges(clouds[k], clouds[k], heard_within[k], spacing[k], threads);
    if (k > 0) input.up[k] = find_edges(clouds[k], clouds[k - 1], heard_up[k], spacing[k], threads);
    if (k + 1 < BreakInput::levels)
      input.down[k] = find_edges(clouds[k], clouds[k + 1], heard_down[k], spacing[k + 1], threads);
  }
  return input;
}

}  // namespace pmtr
