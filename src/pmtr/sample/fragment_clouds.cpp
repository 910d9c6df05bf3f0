// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/fragment_clouds.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "pmtr/core/threads.h"
#include "pmtr/sample/candidates.h"
#include "pmtr/sample/sample_surface.h"

namespace pmtr {
namespace {

constexpr int most_points = 20'000'000;

/// The first points of a cloud.
PointCloud beginning(const PointCloud& cloud, std::size_t count) {
  PointCloud out;
  const auto end = static_cast<std::ptrdiff_t>(std::min(count, cloud.points.size()));
  out.points.assign(cloud.points.begin(), cloud.points.begin() + end);
  if (!cloud.normals.empty()) out.normals.assign(cloud.normals.begin(), cloud.normals.begin() + end);
  return out;
}

}  // namespace

Status SampleOptions::validate() const {
  const auto out_of_range = [](const char* name, int value, int least) {
    return Error{Cause::invalid_option,
                 fmt::format("{} is {}: must be {} to {}", name, value, least, most_points),
                 {}};
  };
  if (points < 1 || points > most_points) return out_of_range("points", points, 1);
  if (dense_points < 0 || dense_points > most_points) return out_of_range("dense_points", dense_points, 0);
  if (least_points < 1 || least_points > most_points) return out_of_range("least_points", least_points, 1);
  if (least_dense_points < 1 || least_dense_points > most_points)
    return out_of_range("least_dense_points", least_dense_points, 1);
  return {};
}

PointCounts point_counts(double share, const SampleOptions& options) {
  const int most = std::max(options.points, options.dense_points);
  PointCounts counts;
  const int least = options.dense_points > 0 ? std::max(options.least_points, options.least_dense_points)
                                             : options.least_points;
  counts.dense = std::max(least, static_cast<int>(std::lround(share * most)));
  counts.cloud =
      std::clamp(static_cast<int>(std::lround(static_cast<double>(counts.dense) * options.points / most)),
                 std::min(options.least_points, counts.dense), counts.dense);
  return counts;
}

Result<FragmentClouds> sample_fragment(const TriangleMesh& fragment, double share, double unit,
                                       const SampleOptions& options, Random random) {
  PMTR_TRY_STATUS(options.validate());
  const PointCounts counts = point_counts(share, options);
  PMTR_TRY(SampledSurface surface, sample_surface(fragment, counts.dense, unit, random));
  // A cloud of vertices may have fewer points than were asked for.
  const int size = static_cast<int>(surface.cloud.points.size());
  const int cloud =
      std::clamp(static_cast<int>(std::lround(static_cast<double>(counts.cloud) * size / counts.dense)),
                 std::min(options.least_points, size), size);
  if (cloud < size) bring_even_points_forward(surface, cloud);
  FragmentClouds out;
  out.dense = std::move(surface.cloud);
  out.cloud = beginning(out.dense, static_cast<std::size_t>(cloud));
  out.faces = std::move(surface.faces);
  out.area = surface.area;
  out.centre = surface.centre;
  out.unit = unit;
  return out;
}

Result<std::vector<FragmentClouds>> sample_object(std::span<const TriangleMesh* const> fragments, double unit,
                                                  const SampleOptions& options, std::uint64_t seed,
                                                  Threads& threads) {
  PMTR_TRY_STATUS(options.validate());
  if (fragments.empty()) return Error{Cause::empty, "no fragments to sample", {}};
  std::vector<double> areas;
  double total = 0.0;
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    PMTR_TRY(const FragmentSurface surface, measure_surface(*fragments[i], fmt::format("fragment {}", i)));
    areas.push_back(surface.area());
    total += areas.back();
  }
  std::vector<std::optional<Result<FragmentClouds>>> sampled(fragments.size());
  run_tasks(threads, static_cast<std::int64_t>(fragments.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    const double share = total > 0.0 ? areas[i] / total : 1.0 / static_cast<double>(fragments.size());
    sampled[i] = sample_fragment(*fragments[i], share, unit, options, Random(seed, i));
  });
  std::vector<FragmentClouds> out;
  for (auto& result : sampled) {
    PMTR_TRY(FragmentClouds clouds, *std::move(result));
    out.push_back(std::move(clouds));
  }
  return out;
}

void add_noise(FragmentClouds& fragment, double sigma, Random random) {
  for (Eigen::Vector3f& point : fragment.dense.points) {
    for (int k = 0; k < 3; ++k) point[k] += static_cast<float>(sigma * random.normal());
  }
  std::copy_n(fragment.dense.points.begin(), fragment.cloud.points.size(), fragment.cloud.points.begin());
}

Rigid3 in_input_frame(const Rigid3& a_from_b, const FragmentClouds& a, const FragmentClouds& b) {
  const Rigid3 input_from_a{Eigen::Matrix3d::Identity(), a.centre};
  const Rigid3 b_from_input{Eigen::Matrix3d::Identity(), -b.centre};
  const Rigid3 scaled{a_from_b.rotation, a.unit * a_from_b.translation};
  return input_from_a * scaled * b_from_input;
}

Rigid3 in_object_frame(const Rigid3& a_from_b, const FragmentClouds& a, const FragmentClouds& b) {
  const Eigen::Vector3d shift = a_from_b.rotation * b.centre + a_from_b.translation - a.centre;
  return {a_from_b.rotation, shift / a.unit};
}

}  // namespace pmtr
