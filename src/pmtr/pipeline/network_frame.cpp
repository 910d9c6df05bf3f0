// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/network_frame.h"

#include <algorithm>
#include <cmath>

#include "pmtr/core/random.h"
#include "pmtr/sample/sample_surface.h"

namespace pmtr {

Result<std::vector<NetworkFrame>> sample_for_network(std::span<const TriangleMesh> fragments, int points,
                                                     int dense_points, double object_size, std::uint64_t seed,
                                                     Threads& threads) {
  SampleOptions sample;
  sample.seed = seed;
  sample.points_per_object = std::max(points, dense_points);
  PMTR_TRY(const std::vector<PointCloud> clouds, sample_fragments(fragments, sample, threads));
  const double share = std::min(1.0, static_cast<double>(points) / sample.points_per_object);
  std::vector<NetworkFrame> frames(fragments.size());
  threads.parallel_for(static_cast<std::int64_t>(fragments.size()), 1, [&](std::int64_t i, std::int64_t) {
    const auto at = static_cast<std::size_t>(i);
    NetworkFrame& frame = frames[at];
    frame.object_size = object_size;
    SampledSurface surface{clouds[at], {}};
    PointCloud& dense = surface.cloud;
    const auto count = static_cast<double>(dense.points.size());
    for (const auto& point : dense.points) frame.centre += point.cast<double>() / count;
    for (auto& point : dense.points)
      point = ((point.cast<double>() - frame.centre) / object_size).cast<float>();
    const double area = surface_area(fragments[at]) / (object_size * object_size);
    // A mesh without faces has no area; the spacing of a sample of that size does as well.
    frame.area = area > 0.0 ? area : count * 1e-4;
    const int wanted = std::clamp(static_cast<int>(std::lround(share * count)),
                                  std::min(sample.min_points_per_fragment, static_cast<int>(count)),
                                  static_cast<int>(count));
    bring_even_points_forward(surface, frame.area, wanted);
    frame.dense = std::move(surface.cloud);
    const auto end = static_cast<std::ptrdiff_t>(wanted);
    frame.cloud.points.assign(frame.dense.points.begin(), frame.dense.points.begin() + end);
    if (!frame.dense.normals.empty())
      frame.cloud.normals.assign(frame.dense.normals.begin(), frame.dense.normals.begin() + end);
  });
  return frames;
}

Rigid3 to_input_units(const Rigid3& a_from_b, const NetworkFrame& a, const NetworkFrame& b) {
  const Rigid3 input_from_a{Eigen::Matrix3d::Identity(), a.centre};
  const Rigid3 b_from_input{Eigen::Matrix3d::Identity(), -b.centre};
  const Rigid3 scaled{a_from_b.rotation, a.object_size * a_from_b.translation};
  return input_from_a * scaled * b_from_input;
}

Rigid3 to_network_units(const Rigid3& a_from_b, const NetworkFrame& a, const NetworkFrame& b) {
  const Eigen::Vector3d shift = a_from_b.rotation * b.centre + a_from_b.translation - a.centre;
  return {a_from_b.rotation, shift / a.object_size};
}

void add_noise(std::span<NetworkFrame> frames, double sigma, std::uint64_t seed) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    Random random(seed, i);
    PointCloud& dense = frames[i].dense;
    for (Eigen::Vector3f& point : dense.points) {
      for (int k = 0; k < 3; ++k) point[k] += static_cast<float>(sigma * random.normal());
    }
    PointCloud& cloud = frames[i].cloud;
    std::copy_n(dense.points.begin(), cloud.points.size(), cloud.points.begin());
  }
}

}  // namespace pmtr
