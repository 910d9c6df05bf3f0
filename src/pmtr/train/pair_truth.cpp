// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/pair_truth.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

/// Points in cubes of a given edge: whoever is within the edge is in one of 27 cubes.
class PointGrid {
 public:
  PointGrid(const std::vector<Eigen::Vector3f>& points, double edge) : points_(&points), edge_(edge) {
    for (std::size_t i = 0; i < points.size(); ++i)
      cells_[key(cell(points[i]))].push_back(static_cast<std::int32_t>(i));
  }

  template <class Visit>
  void within(const Eigen::Vector3f& centre, float radius, const Visit& visit) const {
    const Eigen::Vector3i middle = cell(centre);
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dz = -1; dz <= 1; ++dz) {
          const auto found = cells_.find(key(middle + Eigen::Vector3i(dx, dy, dz)));
          if (found == cells_.end()) continue;
          for (const std::int32_t i : found->second) {
            if (((*points_)[static_cast<std::size_t>(i)] - centre).squaredNorm() < radius * radius) visit(i);
          }
        }
  }

 private:
  Eigen::Vector3i cell(const Eigen::Vector3f& p) const {
    return (p.cast<double>() / edge_).array().floor().cast<int>();
  }
  static std::uint64_t key(const Eigen::Vector3i& c) {
    constexpr std::uint64_t mask = (1u << 21) - 1;
    const auto part = [](int v) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(v)) & mask; };
    return part(c.x()) | part(c.y()) << 21 | part(c.z()) << 42;
  }

  const std::vector<Eigen::Vector3f>* points_;
  double edge_;
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> cells_;
};

/// The superpoint that keeps each point, or -1: a patch keeps only its nearest points.
std::vector<std::int32_t> kept_by(const SuperpointPatches& patches, std::size_t points) {
  std::vector<std::int32_t> superpoint(points, -1);
  for (std::int64_t i = 0; i < patches.superpoints(); ++i) {
    for (const std::int32_t point : patches.of(i))
      superpoint[static_cast<std::size_t>(point)] = static_cast<std::int32_t>(i);
  }
  return superpoint;
}

struct Counts {
  int source = 0;
  int target = 0;
};
using CountsByPair = std::map<std::pair<std::int32_t, std::int32_t>, Counts>;

/// For each point of one side, the superpoints of the other side it touches, each once.
template <class Add>
void count_touching(const std::vector<Eigen::Vector3f>& points, const std::vector<std::int32_t>& superpoint,
                    const PointGrid& others, const std::vector<std::int32_t>& other_superpoint, double radius,
                    const Add& add) {
  std::vector<std::int32_t> touched;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (superpoint[i] < 0) continue;
    touched.clear();
    others.within(points[i], static_cast<float>(radius), [&](std::int32_t j) {
      const std::int32_t other = other_superpoint[static_cast<std::size_t>(j)];
      if (other >= 0 && std::find(touched.begin(), touched.end(), other) == touched.end())
        touched.push_back(other);
    });
    for (const std::int32_t other : touched) add(superpoint[i], other);
  }
}

std::vector<SuperpointMatch> choose_pairs(const std::vector<PatchOverlap>& overlaps,
                                          const PairTruthOptions& options, Random& random) {
  std::vector<SuperpointMatch> chosen;
  for (const auto& pair : overlaps) {
    if (pair.overlap > options.min_overlap) chosen.push_back({pair.source, pair.target, pair.overlap});
  }
  if (chosen.empty()) {
    for (const auto& pair : overlaps) chosen.push_back({pair.source, pair.target, pair.overlap});
  }
  const auto wanted = static_cast<std::size_t>(options.superpoint_pairs);
  if (chosen.size() <= wanted) return chosen;
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto other = i + random.below(chosen.size() - i);
    std::swap(chosen[i], chosen[other]);
  }
  chosen.resize(wanted);
  return chosen;
}

}  // namespace

Status PairTruthOptions::validate() const {
  if (!(radius > 0.0) || !std::isfinite(radius))
    return Error{Cause::invalid_option, fmt::format("overlap radius {} must be positive", radius), {}};
  if (superpoint_pairs < 1)
    return Error{
        Cause::invalid_option, fmt::format("superpoint_pairs {} must be at least 1", superpoint_pairs), {}};
  return {};
}

std::vector<PatchOverlap> patch_overlaps(const std::vector<Eigen::Vector3f>& source_assembled,
                                         const SuperpointPatches& source_patches,
                                         const std::vector<Eigen::Vector3f>& target_assembled,
                                         const SuperpointPatches& target_patches, double radius) {
  const auto source_superpoint = kept_by(source_patches, source_assembled.size());
  const auto target_superpoint = kept_by(target_patches, target_assembled.size());
  CountsByPair counts;
  count_touching(source_assembled, source_superpoint, PointGrid(target_assembled, radius), target_superpoint,
                 radius, [&](std::int32_t a, std::int32_t b) {
                   ++counts[{a, b}].source;
                 });
  count_touching(target_assembled, target_superpoint, PointGrid(source_assembled, radius), source_superpoint,
                 radius, [&](std::int32_t b, std::int32_t a) {
                   ++counts[{a, b}].target;
                 });
  std::vector<PatchOverlap> overlaps;
  overlaps.reserve(counts.size());
  for (const auto& [pair, count] : counts) {
    const auto a = static_cast<float>(source_patches.of(pair.first).size());
    const auto b = static_cast<float>(target_patches.of(pair.second).size());
    overlaps.push_back(
        {pair.first, pair.second,
         0.5F * (static_cast<float>(count.source) / a + static_cast<float>(count.target) / b)});
  }
  return overlaps;
}

PairTruth find_pair_truth(const Pyramid& source, const Pyramid& target,
                          std::vector<Eigen::Vector3f> source_assembled,
                          std::vector<Eigen::Vector3f> target_assembled, const PairTruthOptions& options,
                          Random& random, Threads& threads) {
  PMTR_CHECK(source_assembled.size() == source.levels[0].points.size() &&
                 target_assembled.size() == target.levels[0].points.size(),
             "one assembled point per point");
  PairTruth truth;
  truth.source_patches = partition_points(source.levels[0].points, source.levels[2].points, threads);
  truth.target_patches = partition_points(target.levels[0].points, target.levels[2].points, threads);
  truth.overlaps = patch_overlaps(source_assembled, truth.source_patches, target_assembled,
                                  truth.target_patches, options.radius);
  truth.superpoint_pairs = choose_pairs(truth.overlaps, options, random);
  truth.source_assembled = std::move(source_assembled);
  truth.target_assembled = std::move(target_assembled);
  return truth;
}

}  // namespace pmtr
