// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/densify_breaks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pmtr/core/check.h"
#include "pmtr/pyramid/neighbours.h"
#include "pmtr/scan/surface_noise.h"

namespace pmtr {
namespace {

/// Sampling again for less is not worth it.
constexpr double least_gain = 1.25;

std::vector<float> carry_over(const PointCloud& from, std::span<const float> values, const PointCloud& to,
                              float spacing) {
  constexpr int near = 6;
  const NeighbourTable table =
      find_neighbours(to.points, from.points, 1e6F, near, TieOrder::index, Threads::none());
  std::vector<float> result(to.points.size());
  for (std::size_t i = 0; i < to.points.size(); ++i) {
    const auto row = table.row(static_cast<std::int64_t>(i));
    // Across an edge, or a wall, the nearest point of all may lie on another face.
    float sum = 0.0F, total = 0.0F;
    for (const std::int32_t j : row) {
      const auto other = static_cast<std::size_t>(j);
      if (other >= from.points.size()) break;
      if (to.normals[i].dot(from.normals[other]) < 0.5F) continue;
      const float squared = (to.points[i] - from.points[other]).squaredNorm() / (spacing * spacing);
      const float weight = 1.0F / (0.1F + squared);
      sum += weight * values[other];
      total += weight;
    }
    result[i] = total > 0.0F ? sum / total : values[static_cast<std::size_t>(row[0])];
  }
  return result;
}

}  // namespace

Status DensifyOptions::validate() const {
  if (break_points < 0) return invalid_option("the points of a break must not be negative");
  if (!(most >= 1.0 && most <= 100.0))
    return invalid_option("fragments are sampled 1 to 100 times as densely");
  if (scar_points < 0 || scars_among < 0) return invalid_option("the points of a scar must not be negative");
  if (!(most_for_scars >= 1.0 && most_for_scars <= 100.0))
    return invalid_option("fragments are sampled 1 to 100 times as densely");
  if (!(spacing_of_noise >= 0.0 && points_of_face > 0.0))
    return invalid_option("what is known of a surface must not be negative");
  return {};
}

double scar_area(std::span<const double> areas, const DensifyOptions& options) {
  const bool few = areas.size() <= static_cast<std::size_t>(options.scars_among);
  if (areas.empty() || !few || options.scar_points == 0) return 0.0;
  return *std::min_element(areas.begin(), areas.end());
}

double known_density(const FragmentClouds& fragment, std::size_t faces, const DensifyOptions& options) {
  const auto points = static_cast<double>(fragment.dense.points.size());
  double most = options.most_for_scars;
  if (faces > 0) most = std::min(most, options.points_of_face * static_cast<double>(faces) / points);
  const double finest = options.spacing_of_noise * surface_noise(fragment.dense);
  if (finest > 0.0) most = std::min(most, fragment.area / (points * finest * finest));
  return most;
}

double wanted_density(std::span<const float> fracture, double area, double scar, double known,
                      const DensifyOptions& options) {
  const auto points = static_cast<double>(fracture.size());
  const auto broken =
      static_cast<double>(std::count_if(fracture.begin(), fracture.end(), [](float p) { return p > 0.5F; }));
  double factor = 1.0;
  if (broken > 0.0) factor = std::clamp(options.break_points / broken, 1.0, options.most);
  if (scar > 0.0) factor = std::max(factor, std::min(options.scar_points * area / (scar * points), known));
  return factor < least_gain ? 1.0 : factor;
}

Result<SeenFragment> sample_denser(const TriangleMesh& mesh, const SeenFragment& seen, double factor,
                                   const SampleOptions& options, double noise, std::uint64_t seed,
                                   std::uint64_t stream) {
  const PointCloud& before = seen.clouds.dense;
  PMTR_CHECK(seen.fracture.size() == before.points.size(), "one score per point");
  const auto count = static_cast<double>(before.points.size());
  SampleOptions denser = options;
  denser.dense_points = static_cast<int>(std::lround(factor * options.dense_points));
  denser.least_dense_points = static_cast<int>(std::lround(factor * count));
  SeenFragment result;
  PMTR_TRY(result.clouds,
           sample_fragment(mesh, /*share=*/0.0, seen.clouds.unit, denser, Random(seed, stream)));
  // Both are centred on their own points, and the frame of a fragment must not change.
  const Eigen::Vector3f shift =
      ((result.clouds.centre - seen.clouds.centre) / seen.clouds.unit).cast<float>();
  for (PointCloud* cloud : {&result.clouds.dense, &result.clouds.cloud})
    for (Eigen::Vector3f& point : cloud->points) point += shift;
  result.clouds.centre = seen.clouds.centre;
  result.clouds.object_size = seen.clouds.object_size;
  if (noise > 0.0) add_noise(result.clouds, noise, Random(seed, stream));
  const auto spacing = static_cast<float>(std::sqrt(seen.clouds.area / count));
  result.fracture = carry_over(before, seen.fracture, result.clouds.dense, spacing);
  return result;
}

Status densify_break(const TriangleMesh& mesh, FragmentClouds& fragment, FragmentFeatures& features,
                     double scar, const SampleOptions& sampling, double noise, std::uint64_t seed,
                     std::uint64_t number, const DensifyOptions& options) {
  if (features.fracture.empty()) return {};
  double factor = wanted_density(features.fracture, fragment.area, scar, options.most_for_scars, options);
  // What is known of a surface takes a while to find out, and matters only where more is wanted.
  if (scar > 0.0 && factor > 1.0)
    factor = wanted_density(features.fracture, fragment.area, scar,
                            known_density(fragment, mesh.faces.size(), options), options);
  // A cloud has no more points than it has.
  if (mesh.faces.empty())
    factor = std::min(factor, static_cast<double>(mesh.vertices.size()) /
                                  static_cast<double>(fragment.dense.points.size()));
  if (factor < least_gain) return {};
  const SeenFragment seen{std::move(fragment), std::move(features.fracture)};
  PMTR_TRY(SeenFragment denser, sample_denser(mesh, seen, factor, sampling, noise, seed, number));
  fragment = std::move(denser.clouds);
  features.fracture = std::move(denser.fracture);
  return {};
}

Status densify_breaks(std::span<const TriangleMesh* const> meshes, std::span<FragmentClouds> fragments,
                      std::span<FragmentFeatures> features, const SampleOptions& sampling, double noise,
                      std::uint64_t seed, const DensifyOptions& options, Threads& threads) {
  std::vector<double> areas;
  for (const FragmentClouds& fragment : fragments) areas.push_back(fragment.area);
  const double scar = scar_area(areas, options);
  std::vector<Status> states(fragments.size());
  run_tasks(threads, static_cast<std::int64_t>(fragments.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    states[i] = densify_break(*meshes[i], fragments[i], features[i], scar, sampling, noise, seed, i, options);
  });
  for (const Status& state : states) PMTR_TRY_STATUS(state);
  return {};
}

}  // namespace pmtr
