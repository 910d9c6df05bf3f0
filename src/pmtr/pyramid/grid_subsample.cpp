// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pyramid/grid_subsample.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

struct Voxel {
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  int count = 0;
};

// A point can lie one rounding error below the origin: cell -1. Going through a signed type gives that the
// value it has in the reference (it wraps around) without undefined behaviour.
std::size_t cell_of(float offset, float voxel) {
  return static_cast<std::size_t>(static_cast<std::int64_t>(std::floor(offset / voxel)));
}

}  // namespace

std::vector<Eigen::Vector3f> grid_subsample(std::span<const Eigen::Vector3f> points, float voxel) {
  PMTR_CHECK(voxel > 0.0F, "voxel edge must be positive");
  if (points.empty()) return {};

  Eigen::Vector3f low = points.front();
  Eigen::Vector3f high = points.front();
  for (const auto& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  PMTR_CHECK(((high.cast<double>() - low.cast<double>()) / double{voxel}).maxCoeff() < max_voxels_per_axis,
             "cloud too large for the voxel");
  const auto inverse = static_cast<float>(1.0 / double{voxel});
  Eigen::Vector3f origin;
  for (int i = 0; i < 3; ++i) origin[i] = std::floor(low[i] * inverse) * voxel;

  const std::size_t nx = cell_of(high.x() - origin.x(), voxel) + 1;
  const std::size_t ny = cell_of(high.y() - origin.y(), voxel) + 1;

  // The order of the result is this map's iteration order, which depends on how it grew: no reserve.
  std::unordered_map<std::size_t, Voxel> voxels;
  for (const auto& p : points) {
    const std::size_t ix = cell_of(p.x() - origin.x(), voxel);
    const std::size_t iy = cell_of(p.y() - origin.y(), voxel);
    const std::size_t iz = cell_of(p.z() - origin.z(), voxel);
    Voxel& v = voxels[ix + nx * iy + nx * ny * iz];
    v.sum += p;
    ++v.count;
  }

  std::vector<Eigen::Vector3f> means;
  means.reserve(voxels.size());
  for (const auto& [cell, v] : voxels) means.emplace_back(v.sum * static_cast<float>(1.0 / v.count));
  return means;
}

}  // namespace pmtr
