// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/sample_surface.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pmtr/core/check.h"
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

}  // namespace

Result<SampledSurface> sample_surface(const TriangleMesh& fragment, int count, double unit, Random random) {
  if (count < 1 || count > max_points) {
    return Error{
        Cause::invalid_option, fmt::format("{} points wanted: must be 1 to {}", count, max_points), {}};
  }
  PMTR_CHECK(unit > 0.0, "a unit is positive");
  PMTR_TRY(const FragmentSurface surface, measure_surface(fragment, "fragment"));
  const auto wanted = static_cast<std::size_t>(count);
  const Candidates candidates = draw_candidates(surface, wanted * candidates_per_point, random);
  // The area of a mesh without faces is only an estimate: start higher, a round too many costs little.
  const double area = surface.local_area * (fragment.faces.empty() ? 2.0 : 1.0);
  const double distance = std::max(std::sqrt(densest * area / static_cast<double>(count)), 1e-7);
  const std::vector<std::uint32_t> chosen =
      choose_even(candidates.positions, candidates.normals, wanted, static_cast<float>(distance));

  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const std::uint32_t i : chosen) mean += candidates.positions[i].cast<double>();
  mean /= static_cast<double>(chosen.size());
  SampledSurface sampled;
  sampled.centre = candidates.centre + candidates.scale * mean;
  sampled.area = surface.area() / (unit * unit);
  sampled.cloud.points.reserve(chosen.size());
  const double to_units = candidates.scale / unit;
  for (const std::uint32_t i : chosen) {
    sampled.cloud.points.emplace_back(
        (to_units * (candidates.positions[i].cast<double>() - mean)).cast<float>());
    if (!candidates.normals.empty()) sampled.cloud.normals.push_back(candidates.normals[i]);
    if (!candidates.faces.empty()) sampled.faces.push_back(candidates.faces[i]);
  }
  return sampled;
}

void bring_even_points_forward(SampledSurface& surface, int count) {
  const std::size_t size = surface.cloud.points.size();
  const double distance = std::max(std::sqrt(densest * surface.area / std::max(1, count)), 1e-7);
  std::vector<std::uint32_t> order =
      choose_even(surface.cloud.points, surface.cloud.normals, static_cast<std::size_t>(std::max(1, count)),
                  static_cast<float>(distance));
  std::vector<bool> chosen(size, false);
  for (const std::uint32_t i : order) chosen[i] = true;
  for (std::size_t i = 0; i < size; ++i) {
    if (!chosen[i]) order.push_back(static_cast<std::uint32_t>(i));
  }
  const auto reorder = [&](auto& values) {
    if (values.empty()) return;
    auto sorted = values;
    for (std::size_t i = 0; i < size; ++i) sorted[i] = values[order[i]];
    values = std::move(sorted);
  };
  reorder(surface.cloud.points);
  reorder(surface.cloud.normals);
  reorder(surface.faces);
}

}  // namespace pmtr
