// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/sample_surface.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pmtr/sample/candidates.h"
#include "pmtr/sample/choose_even.h"

namespace pmtr {
namespace {

constexpr int max_points = 20'000'000;
// More candidates fill gaps better and cost time in proportion.
constexpr std::size_t candidates_per_point = 5;
// Random discs that keep a distance d cannot be packed more densely than 0.7 / d^2 (the jamming limit of
// random sequential adsorption), so this is where trying starts to pay.
constexpr double densest = 0.7;

SampledSurface sample_one(const FragmentSurface& surface, std::size_t count, Random random) {
  const Candidates candidates = draw_candidates(surface, count * candidates_per_point, random);
  // The area of a mesh without faces is only an estimate: start higher, a round too many costs little.
  const double area = surface.local_area * (surface.mesh->faces.empty() ? 2.0 : 1.0);
  const double distance = std::max(std::sqrt(densest * area / static_cast<double>(count)), 1e-7);
  SampledSurface sampled;
  PointCloud& cloud = sampled.cloud;
  cloud.points.reserve(count);
  for (const std::uint32_t i :
       choose_even(candidates.positions, candidates.normals, count, static_cast<float>(distance))) {
    const Eigen::Vector3d p = candidates.centre + candidates.scale * candidates.positions[i].cast<double>();
    cloud.points.push_back(p.cast<float>());
    if (!candidates.normals.empty()) cloud.normals.push_back(candidates.normals[i]);
    if (!candidates.faces.empty()) sampled.faces.push_back(candidates.faces[i]);
  }
  return sampled;
}

}  // namespace

Status SampleOptions::validate() const {
  if (points_per_object < 1 || points_per_object > max_points) {
    return Error{Cause::invalid_option,
                 fmt::format("points_per_object is {}: must be 1 to {}", points_per_object, max_points),
                 {}};
  }
  if (min_points_per_fragment < 1 || min_points_per_fragment > max_points) {
    return Error{
        Cause::invalid_option,
        fmt::format("min_points_per_fragment is {}: must be 1 to {}", min_points_per_fragment, max_points),
        {}};
  }
  return {};
}

Result<std::vector<PointCloud>> sample_fragments(std::span<const TriangleMesh> fragments,
                                                 const SampleOptions& options, Threads& threads) {
  PMTR_TRY_STATUS(options.validate());
  if (fragments.empty()) return Error{Cause::empty, "no fragments to sample", {}};
  std::vector<FragmentSurface> surfaces;
  double total = 0.0;
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    PMTR_TRY(auto surface, measure_surface(fragments[i], fmt::format("fragment {}", i)));
    surfaces.push_back(std::move(surface));
    total += surfaces.back().area();
  }
  std::vector<PointCloud> clouds(fragments.size());
  threads.parallel_for(
      static_cast<std::int64_t>(fragments.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          const double share =
              total > 0.0 ? surfaces[i].area() / total : 1.0 / static_cast<double>(fragments.size());
          const auto count = std::max(options.min_points_per_fragment,
                                      static_cast<int>(std::lround(share * options.points_per_object)));
          clouds[i] = sample_one(surfaces[i], static_cast<std::size_t>(count), Random(options.seed, i)).cloud;
        }
      });
  return clouds;
}

Result<SampledSurface> sample_surface(const TriangleMesh& fragment, int count, Random random) {
  if (count < 1 || count > max_points) {
    return Error{
        Cause::invalid_option, fmt::format("{} points wanted: must be 1 to {}", count, max_points), {}};
  }
  PMTR_TRY(const FragmentSurface surface, measure_surface(fragment, "fragment"));
  return sample_one(surface, static_cast<std::size_t>(count), random);
}

}  // namespace pmtr
