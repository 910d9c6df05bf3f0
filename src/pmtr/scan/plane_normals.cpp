// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/scan/plane_normals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/Eigenvalues>

#include "pmtr/core/statistics.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

/// Points at a time that one task looks at.
constexpr std::int64_t points_per_task = 2048;

/// Of one plane.
constexpr int most_neighbours = 64;

/// Planes of which half are thinner are neither noise nor too small.
constexpr float thin = 0.12F;

struct Plane {
  Eigen::Vector3f normal = Eigen::Vector3f::UnitZ();
  Eigen::Vector3f middle = Eigen::Vector3f::Zero();
  float radius = 0.0F;  ///< root mean squared distance of its points from the middle
  float off = 0.0F;     ///< and from the plane

  float thickness() const { return radius > 0.0F ? off / radius : 1.0F; }
};

/// Through the chosen points, each with its weight; the weights have a sum above zero.
template <class Weight>
Plane fit_plane(std::span<const Eigen::Vector3f> points, std::span<const std::int32_t> chosen,
                const Weight& weight_of) {
  Plane plane;
  const Eigen::Vector3f& origin = points[static_cast<std::size_t>(chosen[0])];
  std::array<float, most_neighbours> weights;
  Eigen::Vector3f middle = Eigen::Vector3f::Zero();
  float whole = 0.0F;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    weights[k] = weight_of(static_cast<std::size_t>(chosen[k]));
    middle += weights[k] * (points[static_cast<std::size_t>(chosen[k])] - origin);
    whole += weights[k];
  }
  middle /= whole;
  Eigen::Matrix3f spread = Eigen::Matrix3f::Zero();
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const Eigen::Vector3f d = points[static_cast<std::size_t>(chosen[k])] - origin - middle;
    spread += weights[k] * d * d.transpose();
  }
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3f> solver;
  solver.computeDirect(spread / whole);
  plane.normal = solver.eigenvectors().col(0).normalized();
  plane.middle = origin + middle;
  plane.radius = std::sqrt(std::max(0.0F, solver.eigenvalues().sum()));
  plane.off = std::sqrt(std::max(0.0F, solver.eigenvalues()[0]));
  return plane;
}

template <class Work>
void for_each_point(std::size_t count, Threads& threads, const Work& work) {
  const auto total = static_cast<std::int64_t>(count);
  run_tasks(threads, (total + points_per_task - 1) / points_per_task, [&](std::int64_t task) {
    const std::int64_t end = std::min(total, (task + 1) * points_per_task);
    for (std::int64_t i = task * points_per_task; i < end; ++i) work(static_cast<std::size_t>(i));
  });
}

template <class Of>
float median_of(std::span<const Plane> planes, const Of& of) {
  std::vector<float> values;
  for (const Plane& plane : planes) values.push_back(of(plane));
  return median(std::move(values));
}

/// At an edge a plane lies across both sides, and its points are off it: there a point takes the best plane
/// near that it lies on. `noise`: what points are off their planes anyway.
std::vector<Plane> take_best_planes(std::span<const Eigen::Vector3f> points, std::span<const Plane> planes,
                                    const NeighbourTable& around, float noise, float spacing,
                                    Threads& threads) {
  std::vector<Plane> taken(planes.begin(), planes.end());
  for_each_point(points.size(), threads, [&](std::size_t i) {
    if (planes[i].off <= 1.5F * noise + 0.02F * spacing) return;
    for (const std::int32_t j : around.row(static_cast<std::int64_t>(i))) {
      const Plane& other = planes[static_cast<std::size_t>(j)];
      const float distance = std::abs(other.normal.dot(points[i] - other.middle));
      if (other.off < taken[i].off && distance < other.off + 0.01F * spacing) taken[i] = other;
    }
  });
  return taken;
}

/// Planes once more, through more points: those that lie near the plane there is and look its way.
std::vector<Plane> fit_again(std::span<const Eigen::Vector3f> points, std::span<const Plane> planes,
                             const NeighbourTable& around, float near, Threads& threads) {
  constexpr float enough = 4.0F;  // points, counted by their weights
  std::vector<Plane> fitted(planes.begin(), planes.end());
  for_each_point(points.size(), threads, [&](std::size_t i) {
    const Plane& plane = planes[i];
    float whole = 0.0F;
    const auto weight_of = [&](std::size_t j) {
      const float off = plane.normal.dot(points[j] - plane.middle) / near;
      const float alike = plane.normal.dot(planes[j].normal);
      const float weight = std::exp(-off * off) * alike * alike;
      whole += weight;
      return weight;
    };
    const Plane again = fit_plane(points, around.row(static_cast<std::int64_t>(i)), weight_of);
    if (whole > enough) fitted[i] = again;
  });
  return fitted;
}

}  // namespace

NeighbourTable nearest_points(std::span<const Eigen::Vector3f> queries,
                              std::span<const Eigen::Vector3f> points, int count, Threads& threads) {
  constexpr float anywhere = 1e3F;  // clouds here are within a unit
  return find_neighbours(queries, points, anywhere, count, TieOrder::index, threads);
}

PlaneNormals fit_planes(std::span<const Eigen::Vector3f> points, int neighbours, Threads& threads) {
  constexpr int again = 2;
  const auto at_most = [&](int count) {
    return std::min({count, most_neighbours, static_cast<int>(points.size())});
  };
  PlaneNormals out;
  out.neighbours = at_most(neighbours);
  const int most = at_most(8 * neighbours);
  NeighbourTable around;
  std::vector<Plane> planes(points.size());
  while (true) {
    around = nearest_points(points, points, at_most(2 * out.neighbours), threads);
    for_each_point(points.size(), threads, [&](std::size_t i) {
      const auto nearest = around.row(static_cast<std::int64_t>(i));
      planes[i] = fit_plane(points, nearest.first(std::min<std::size_t>(nearest.size(), out.neighbours)),
                            [](std::size_t) { return 1.0F; });
    });
    if (out.neighbours == most ||
        median_of(planes, [](const Plane& plane) { return plane.thickness(); }) < thin)
      break;
    out.neighbours = std::min(2 * out.neighbours, most);
  }
  out.spacing.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    // On a plane with n points per area, half of them lie within 0.7 of the radius.
    const float area = 3.14159F * 2.0F * planes[i].radius * planes[i].radius;
    out.spacing[i] = std::sqrt(area / static_cast<float>(out.neighbours));
  }
  // What points are off their planes is noise, or relief that is finer than the cloud.
  const float noise = median_of(planes, [](const Plane& plane) { return plane.off; });
  const float spacing = median(out.spacing);
  const float near = 2.0F * noise + 0.07F * spacing;
  planes = take_best_planes(points, planes, around, noise, spacing, threads);
  for (int round = 0; round < again; ++round) planes = fit_again(points, planes, around, near, threads);
  out.normals.reserve(points.size());
  for (const Plane& plane : planes) out.normals.push_back(plane.normal);
  return out;
}

}  // namespace pmtr
