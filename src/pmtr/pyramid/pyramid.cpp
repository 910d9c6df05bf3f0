// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pyramid/pyramid.h"

#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "pmtr/core/threads.h"
#include "pmtr/pyramid/grid_subsample.h"
#include "pmtr/pyramid/neighbours.h"
#include "pmtr/pyramid/search_tree.h"

namespace pmtr {
namespace {

constexpr int max_limit = 1024;
constexpr std::size_t max_points = std::size_t{1} << 26;

Status check_points(std::span<const Eigen::Vector3f> points, const PyramidOptions& options) {
  if (points.empty()) return Error{Cause::empty, "no points to build a pyramid from", {}};
  if (points.size() > max_points) {
    return Error{
        Cause::too_large, fmt::format("{} points; at most {} are handled", points.size(), max_points), {}};
  }
  Eigen::Vector3f low = points.front();
  Eigen::Vector3f high = points.front();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) {
      return Error{Cause::not_finite, fmt::format("point {} has a coordinate that is not finite", i), {}};
    }
    low = low.cwiseMin(points[i]);
    high = high.cwiseMax(points[i]);
  }
  const double side = (high.cast<double>() - low.cast<double>()).maxCoeff();
  const double largest = std::max(low.cwiseAbs().maxCoeff(), high.cwiseAbs().maxCoeff());
  for (std::size_t level = 1; level < options.voxel.size(); ++level) {
    // Coordinates far from the origin lose the voxel to rounding just as a large cloud does.
    if (std::max(side, largest) / double{options.voxel[level]} >= max_voxels_per_axis) {
      return Error{
          Cause::too_large,
          fmt::format("coordinates up to {:g} with voxels of {:g}: centre and scale the points so that "
                      "the whole object is about 1 long",
                      largest, options.voxel[level]),
          {}};
    }
  }
  return {};
}

}  // namespace

Status PyramidOptions::validate() const {
  for (std::size_t i = 0; i < voxel.size(); ++i) {
    if (!std::isfinite(voxel[i]) || (i == 0 ? voxel[i] != 0.0F : !(voxel[i] > voxel[i - 1]))) {
      return invalid_option(fmt::format(
          "voxel of level {} is {:g}: level 0 keeps its points (0), the others grow", i, voxel[i]));
    }
    if (i > 0 && voxel[i] < 1e-12F) return invalid_option(fmt::format("voxel of level {} is too small", i));
    if (!(radius[i] > 1e-12F) || !(radius[i] < 1e12F)) {
      return invalid_option(
          fmt::format("radius of level {} is {:g}: must be a positive length", i, radius[i]));
    }
    if (neighbour_limit[i] < 1 || neighbour_limit[i] > max_limit) {
      return invalid_option(fmt::format("neighbour_limit of level {} is {}: must be 1 to {}", i,
                                        neighbour_limit[i], max_limit));
    }
  }
  if (up_limit < 0 || up_limit > max_limit) {
    return invalid_option(fmt::format("up_limit is {}: must be 0 to {}", up_limit, max_limit));
  }
  return {};
}

Result<Pyramid> build_pyramid(std::span<const Eigen::Vector3f> points, const PyramidOptions& options,
                              Threads& threads) {
  PMTR_TRY_STATUS(options.validate());
  PMTR_TRY_STATUS(check_points(points, options));

  Pyramid pyramid;
  auto& levels = pyramid.levels;
  std::array<std::optional<SearchTree>, PyramidOptions::levels> trees;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i].points = i == 0 ? std::vector(points.begin(), points.end())
                              : grid_subsample(levels[i - 1].points, options.voxel[i]);
    trees[i].emplace(levels[i].points);
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const int limit = options.neighbour_limit[i];
    levels[i].neighbours =
        find_neighbours(*trees[i], *trees[i], options.radius[i], limit, options.ties, threads);
    if (i + 1 == levels.size()) break;
    const int up_limit = options.up_limit > 0 ? options.up_limit : options.neighbour_limit[i + 1];
    levels[i].down =
        find_neighbours(*trees[i + 1], *trees[i], options.radius[i], limit, options.ties, threads);
    levels[i].up =
        find_neighbours(*trees[i], *trees[i + 1], options.radius[i + 1], up_limit, options.ties, threads);
  }
  return pyramid;
}

Result<std::vector<Pyramid>> build_pyramids(std::span<const std::vector<Eigen::Vector3f>> clouds,
                                            const PyramidOptions& options, Threads& threads) {
  std::vector<Pyramid> pyramids(clouds.size());
  std::vector<Status> states(clouds.size());
  run_tasks(threads, static_cast<std::int64_t>(clouds.size()), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    Result<Pyramid> built = build_pyramid(clouds[at], options, threads);
    if (built.ok()) {
      pyramids[at] = std::move(built).value();
    } else {
      states[at] = built.error();
    }
  });
  for (const Status& state : states) PMTR_TRY_STATUS(state);
  return pyramids;
}

}  // namespace pmtr
