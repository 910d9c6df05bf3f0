// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/object_scale.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pmtr/core/check.h"
#include "pmtr/sample/candidates.h"

namespace pmtr {
namespace {

// From the farthest point to the one farthest from it, and again: a few percent short of the diameter at
// worst, and the same however the fragment is turned.
double diameter(const std::vector<Eigen::Vector3d>& points) {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (const auto& p : points) centre += p / static_cast<double>(points.size());
  const Eigen::Vector3d* from = &centre;
  double longest = 0.0;
  for (int sweep = 0; sweep < 4; ++sweep) {
    const Eigen::Vector3d* farthest = &points.front();
    double distance = -1.0;
    for (const auto& p : points) {
      const double d = (p - *from).squaredNorm();
      if (d > distance) {
        distance = d;
        farthest = &p;
      }
    }
    if (sweep > 0) longest = std::max(longest, distance);
    from = farthest;
  }
  return std::sqrt(longest);
}

// The points that count: those of the faces, if there are any.
Result<std::vector<Eigen::Vector3d>> points_of(const TriangleMesh& mesh, std::size_t fragment) {
  std::vector<char> used(mesh.vertices.size(), mesh.faces.empty() ? 1 : 0);
  for (const auto& face : mesh.faces) {
    for (const std::uint32_t vertex : face) {
      if (vertex >= used.size()) {
        return Error{Cause::malformed,
                     fmt::format("fragment {}: a face names vertex {} of {}", fragment, vertex, used.size()),
                     {}};
      }
      used[vertex] = 1;
    }
  }
  std::vector<Eigen::Vector3d> points;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!mesh.vertices[i].allFinite()) {
      return Error{Cause::not_finite, fmt::format("fragment {}: vertex {} is not finite", fragment, i), {}};
    }
    if (used[i] != 0) points.push_back(mesh.vertices[i]);
  }
  if (points.empty()) return Error{Cause::empty, fmt::format("fragment {}: no vertices", fragment), {}};
  return points;
}

}  // namespace

Result<double> fragment_diameter(const TriangleMesh& fragment, std::size_t number) {
  PMTR_TRY(const auto points, points_of(fragment, number));
  return diameter(points);
}

Result<double> fragment_area(const TriangleMesh& fragment, std::size_t number) {
  PMTR_TRY(const FragmentSurface surface, measure_surface(fragment, fmt::format("fragment {}", number)));
  return surface.area();
}

Result<double> object_size_of(std::span<const double> diameters, int objects) {
  if (diameters.empty()) return Error{Cause::empty, "no fragments to measure", {}};
  PMTR_CHECK(objects > 0, "fragments are of one object at least");
  const double largest = *std::max_element(diameters.begin(), diameters.end());
  if (!(largest > 0.0)) return Error{Cause::degenerate, "every fragment is a single point", {}};
  if (!std::isfinite(largest)) return Error{Cause::too_large, "coordinates too large to measure", {}};
  // Relative to the largest, so that no power of it overflows.
  double sum = 0.0;
  for (const double d : diameters) sum += std::pow(d / largest, object_size_exponent);
  return object_size_factor * largest * std::pow(sum / objects, 1.0 / object_size_exponent);
}

double unit_for_fragments(double object_size, std::span<const double> diameters, double fragments) {
  const double largest = diameters.empty() ? 0.0 : *std::max_element(diameters.begin(), diameters.end());
  if (fragments == 0.0 || !(largest > 0.0) || !std::isfinite(largest)) return object_size;
  // Weighted by their surfaces, about: splinters have no say. Relative to the largest, as above.
  double sum = 0.0, weights = 0.0;
  for (const double d : diameters) {
    const double share = d / largest;
    weights += share * share;
    sum += share * share * share;
  }
  return std::min(object_size, fragments * largest * sum / weights);
}

Result<double> estimate_object_size(std::span<const TriangleMesh* const> fragments, int objects) {
  std::vector<double> diameters;
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    PMTR_TRY(const double ends, fragment_diameter(*fragments[i], i));
    diameters.push_back(ends);
  }
  return object_size_of(diameters, objects);
}

}  // namespace pmtr
