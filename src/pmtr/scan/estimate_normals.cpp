// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/scan/estimate_normals.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "pmtr/core/random.h"
#include "pmtr/core/statistics.h"
#include "pmtr/mesh/measures.h"
#include "pmtr/scan/plane_normals.h"
#include "pmtr/scan/sight_votes.h"

namespace pmtr {
namespace {

constexpr float disc_radius = 1.4F;  // in spacings: six of a thousand places between random points stay open
constexpr int ring = 10;             // points around one that it agrees with
constexpr float clear_vote = 0.4F;

/// Centred, the longest side 1, each place once.
struct PlainCloud {
  std::vector<Eigen::Vector3f> points;
  std::vector<std::uint32_t> of_input;  ///< [input point]
};

PlainCloud without_copies(std::span<const Eigen::Vector3d> input) {
  const Eigen::AlignedBox3d box = bounding_box(input);
  const double scale = std::max(box.sizes().maxCoeff(), 1e-300);
  std::vector<Eigen::Vector3f> all;
  for (const Eigen::Vector3d& p : input) all.push_back(((p - box.center()) / scale).cast<float>());
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    for (int k = 0; k < 3; ++k)
      if (all[a][k] != all[b][k]) return all[a][k] < all[b][k];
    return a < b;
  });
  PlainCloud cloud;
  cloud.of_input.resize(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || all[order[i]] != cloud.points.back()) cloud.points.push_back(all[order[i]]);
    cloud.of_input[order[i]] = static_cast<std::uint32_t>(cloud.points.size() - 1);
  }
  return cloud;
}

/// So many of them, or all, in random order.
std::vector<std::uint32_t> some_of(std::size_t count, std::size_t most, Random random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = 0; i < std::min(most, count); ++i)
    std::swap(order[i], order[i + random.below(count - i)]);
  order.resize(std::min(most, count));
  return order;
}

/// Do two normals point to one side: as far as the two points lie on one surface. Positive: they do.
float agreement(const Eigen::Vector3f& p, const Eigen::Vector3f& n, const Eigen::Vector3f& q,
                const Eigen::Vector3f& m) {
  const Eigen::Vector3f way = q - p;
  const float length = way.norm();
  if (length == 0.0F) return 0.0F;
  // The far side of a wall is near as well, but across, not along.
  const float across = std::max(std::abs(n.dot(way)), std::abs(m.dot(way))) / length;
  const float along = std::max(0.0F, 1.0F - 2.0F * across);
  const float alike = n.dot(m);
  return along * alike * std::abs(alike);
}

/// Who agrees with whom: for every point the nearest ones, and how far their normals point to one side.
struct Agreements {
  NeighbourTable around;
  std::vector<float> values;  ///< beside around.index; 0 where there is nobody
};

Agreements find_agreements(std::span<const Eigen::Vector3f> points, std::span<const Eigen::Vector3f> normals,
                           Threads& threads) {
  Agreements out;
  out.around = nearest_points(points, points, ring, threads);
  out.values.reserve(out.around.index.size());
  for (std::size_t k = 0; k < out.around.index.size(); ++k) {
    const std::size_t i = k / static_cast<std::size_t>(out.around.width);
    const auto j = static_cast<std::size_t>(out.around.index[k]);
    out.values.push_back(
        j == i || j >= points.size() ? 0.0F : agreement(points[i], normals[i], points[j], normals[j]));
  }
  return out;
}

/// Sides of all points from the votes of each, smoothed over the surface: positive where a normal points
/// outwards, zero where nothing is known.
std::vector<float> agree_on_sides(const Agreements& agreements, std::span<const SightVote> votes,
                                  int directions) {
  constexpr int rounds = 40;
  const auto word = [&](std::size_t i) {
    return std::min(1.0F, 4.0F * votes[i].weight / static_cast<float>(directions));
  };
  const auto width = static_cast<std::size_t>(agreements.around.width);
  std::vector<float> side(votes.size());
  for (std::size_t i = 0; i < side.size(); ++i) side[i] = votes[i].side * word(i);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < side.size(); ++i) {
      float sum = word(i) * votes[i].side;
      float weight = word(i) + 1e-6F;
      for (std::size_t k = i * width; k < (i + 1) * width; ++k) {
        const float both = agreements.values[k];
        if (both == 0.0F) continue;
        sum += both * side[static_cast<std::size_t>(agreements.around.index[k])];
        weight += std::abs(both);
      }
      side[i] = sum / weight;
    }
  }
  return side;
}

/// Where nobody knows, the side is carried over from those who know, first where neighbours agree most. What
/// cannot be reached begins at its point farthest from the middle: there outside is away from the middle.
void carry_sides(const Agreements& agreements, std::span<const Eigen::Vector3f> points,
                 std::span<const Eigen::Vector3f> normals, std::span<float> side) {
  constexpr float known = 0.02F;
  struct Step {
    float strength;
    std::uint32_t to;
    float side;
    bool operator<(const Step& other) const {
      return strength != other.strength ? strength < other.strength : to > other.to;
    }
  };
  const auto width = static_cast<std::size_t>(agreements.around.width);
  std::priority_queue<Step> steps;
  const auto reach_out = [&](std::size_t i) {
    for (std::size_t k = i * width; k < (i + 1) * width; ++k) {
      const float both = agreements.values[k];
      const auto j = static_cast<std::uint32_t>(agreements.around.index[k]);
      if (both == 0.0F || std::abs(side[j]) >= known) continue;
      steps.push({std::abs(both), j, std::copysign(known, both * side[i])});
    }
  };
  std::vector<std::uint32_t> far(points.size());
  std::iota(far.begin(), far.end(), 0U);
  Eigen::Vector3f middle = Eigen::Vector3f::Zero();
  for (const Eigen::Vector3f& p : points) middle += p / static_cast<float>(points.size());
  std::stable_sort(far.begin(), far.end(), [&](std::uint32_t a, std::uint32_t b) {
    return (points[a] - middle).squaredNorm() > (points[b] - middle).squaredNorm();
  });
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::abs(side[i]) >= known) reach_out(i);
  }
  for (const std::uint32_t first : far) {
    while (!steps.empty()) {
      const Step step = steps.top();
      steps.pop();
      if (std::abs(side[step.to]) >= known) continue;
      side[step.to] = step.side;
      reach_out(step.to);
    }
    if (std::abs(side[first]) >= known) continue;
    side[first] = std::copysign(known, normals[first].dot(points[first] - middle));
    reach_out(first);
  }
}

}  // namespace

Status NormalOptions::validate() const {
  if (neighbours < 4) return invalid_option("a plane needs at least four neighbours");
  if (directions < 1) return invalid_option("outside is found along at least one direction");
  if (looked_at < 100) return invalid_option("outside is found at no fewer than 100 points");
  return {};
}

bool lacks_normals(const TriangleMesh& mesh) {
  return mesh.faces.empty() && !mesh.vertices.empty() &&
         (mesh.normals.size() != mesh.vertices.size() ||
          !std::all_of(mesh.normals.begin(), mesh.normals.end(),
                       [](const Eigen::Vector3f& n) { return n.stableNorm() > 0.0F; }));
}

Result<EstimatedNormals> estimate_normals(std::span<const Eigen::Vector3d> points,
                                          const NormalOptions& options, Threads& threads) {
  PMTR_TRY_STATUS(options.validate());
  const PlainCloud cloud = without_copies(points);
  if (cloud.points.size() < 3)
    return Error{Cause::degenerate, "normals need at least three different points", {}};
  PlaneNormals planes = fit_planes(cloud.points, options.neighbours, threads);

  const std::vector<std::uint32_t> chosen =
      some_of(cloud.points.size(), static_cast<std::size_t>(options.looked_at), Random(options.seed, 0));
  std::vector<float> radii;
  for (const float spacing : planes.spacing) radii.push_back(disc_radius * spacing);
  // A point far from all others is no large disc.
  const float most = 3.0F * median(radii);
  for (float& radius : radii) radius = std::min(radius, most);
  const std::vector<SightVote> seen = vote_by_sight(cloud.points, planes.normals, radii, chosen,
                                                    options.directions, Random(options.seed, 1), threads);
  // Who was not looked at has no word of its own, and follows its neighbours.
  std::vector<SightVote> votes(cloud.points.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) votes[chosen[i]] = seen[i];
  const Agreements agreements = find_agreements(cloud.points, planes.normals, threads);
  std::vector<float> sides = agree_on_sides(agreements, votes, options.directions);
  carry_sides(agreements, cloud.points, planes.normals, sides);

  EstimatedNormals out;
  for (const std::uint32_t i : chosen) {
    if (votes[i].side * sides[i] > 0.0F && std::abs(votes[i].side) > clear_vote) out.sure += 1.0;
  }
  out.sure /= static_cast<double>(chosen.size());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i] < 0.0F) planes.normals[i] = -planes.normals[i];
  }
  out.normals.reserve(points.size());
  for (const std::uint32_t i : cloud.of_input) out.normals.push_back(planes.normals[i]);
  return out;
}

}  // namespace pmtr
