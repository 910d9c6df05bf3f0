// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "bench_object.h"

#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include "pmtr/core/random.h"

namespace pmtr::command {
namespace {

constexpr double radius = 0.5;

using Surfaces = std::vector<std::vector<Eigen::Vector3d>>;

Eigen::Vector3d on_sphere(Random& random) {
  Eigen::Vector3d v;
  do {
    v = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  } while (v.squaredNorm() > 1.0 || v.squaredNorm() < 1e-6);
  return radius * v.normalized();
}

std::size_t nearest(const std::vector<Eigen::Vector3d>& seeds, const Eigen::Vector3d& p) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < seeds.size(); ++i) {
    if ((seeds[i] - p).squaredNorm() < (seeds[best] - p).squaredNorm()) best = i;
  }
  return best;
}

double roughness(const Eigen::Vector3d& p) {
  return 0.01 * std::sin(23.0 * p.x()) * std::cos(19.0 * p.y()) + 0.004 * std::sin(61.0 * p.z() + p.x());
}

/// Points of equal density on the ball's surface and on the walls between the cells of the seeds.
Surfaces sample_surfaces(const std::vector<Eigen::Vector3d>& seeds, double outer_points, Random& random) {
  Surfaces surfaces(seeds.size());
  for (int i = 0; i < static_cast<int>(outer_points); ++i) {
    const Eigen::Vector3d p = on_sphere(random);
    surfaces[nearest(seeds, p)].push_back(p);
  }
  const int disc_points = static_cast<int>(outer_points / 4.0);  // the disc has a quarter of the area
  for (std::size_t a = 0; a < seeds.size(); ++a) {
    for (std::size_t b = a + 1; b < seeds.size(); ++b) {
      const Eigen::Vector3d normal = (seeds[b] - seeds[a]).normalized();
      const double height = normal.dot(seeds[a] + seeds[b]) / 2.0;
      const Eigen::Vector3d u = normal.unitOrthogonal();
      const Eigen::Vector3d v = normal.cross(u);
      for (int i = 0; i < disc_points; ++i) {
        const double r = radius * std::sqrt(random.uniform());
        const double angle = 2.0 * M_PI * random.uniform();
        const Eigen::Vector3d p = height * normal + r * (std::cos(angle) * u + std::sin(angle) * v);
        if (p.squaredNorm() > radius * radius) continue;
        const Eigen::Vector3d towards_a = p - 1e-6 * normal;
        if (nearest(seeds, towards_a) != a || nearest(seeds, p + 1e-6 * normal) != b) continue;
        const Eigen::Vector3d rough = p + roughness(p) * normal;
        surfaces[a].push_back(rough);
        surfaces[b].push_back(rough);
      }
    }
  }
  return surfaces;
}

std::size_t count(const Surfaces& surfaces) {
  std::size_t total = 0;
  for (const auto& surface : surfaces) total += surface.size();
  return total;
}

}  // namespace

std::vector<BenchFragment> broken_ball(int parts, int points, std::uint64_t seed) {
  Random random(seed);
  std::vector<Eigen::Vector3d> seeds;
  while (static_cast<int>(seeds.size()) < parts) {
    Eigen::Vector3d candidate = 0.7 * on_sphere(random);
    const double apart = 0.8 / std::cbrt(static_cast<double>(parts) + 1.0);
    bool free = true;
    for (const auto& other : seeds) free = free && (other - candidate).norm() > 0.6 * apart;
    if (free) seeds.push_back(candidate);
  }
  constexpr double trial = 4000.0;
  Random trial_random(seed, 1);
  const double share =
      static_cast<double>(points) / static_cast<double>(count(sample_surfaces(seeds, trial, trial_random)));
  const Surfaces surfaces = sample_surfaces(seeds, trial * share, random);

  std::vector<BenchFragment> fragments;
  for (const auto& surface : surfaces) {
    BenchFragment fragment;
    Eigen::Vector3d centre = Eigen::Vector3d::Zero();
    for (const auto& p : surface) centre += p / static_cast<double>(surface.size());
    const Eigen::Matrix3d turn = random.rotation();
    for (const auto& p : surface) {
      fragment.points.emplace_back((turn * (p - centre)).cast<float>());
      fragment.assembled.emplace_back(p.cast<float>());
    }
    fragments.push_back(std::move(fragment));
  }
  return fragments;
}

}  // namespace pmtr::command
