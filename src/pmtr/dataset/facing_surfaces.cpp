// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/facing_surfaces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Geometry>

#include "pmtr/mesh/measures.h"
#include "pmtr/mesh/triangle_tree.h"

namespace pmtr {
namespace {

constexpr int probes = 4;

std::array<Eigen::Vector3d, probes> probe_points(const TriangleMesh& mesh, std::size_t face) {
  const auto& [a, b, c] = mesh.faces[face];
  const Eigen::Vector3d centre = (mesh.vertices[a] + mesh.vertices[b] + mesh.vertices[c]) / 3.0;
  return {centre, (centre + mesh.vertices[a]) / 2.0, (centre + mesh.vertices[b]) / 2.0,
          (centre + mesh.vertices[c]) / 2.0};
}

}  // namespace

void mark_facing(std::span<const TriangleMesh> pieces, const MatingOptions& options,
                 std::vector<std::vector<std::int32_t>>& partner) {
  const double radius = options.tolerance * longest_side(pieces);
  const double most_cosine = std::cos(options.least_normal_angle * std::numbers::pi / 180.0);
  std::vector<TriangleTree> trees;
  trees.reserve(pieces.size());
  for (const TriangleMesh& piece : pieces) trees.emplace_back(piece);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    for (std::size_t f = 0; f < pieces[p].faces.size(); ++f) {
      const Eigen::Vector3d& normal = trees[p].normal(f);
      if (normal.isZero()) continue;
      std::array<std::int32_t, probes> named{};
      const auto points = probe_points(pieces[p], f);
      for (std::size_t i = 0; i < probes; ++i) {
        named[i] = -1;
        double nearest = radius;
        for (std::size_t q = 0; q < pieces.size(); ++q) {
          if (q == p) continue;
          const double distance = trees[q].distance_to_facing(points[i], normal, most_cosine, nearest);
          if (distance >= nearest) continue;
          nearest = distance;
          named[i] = static_cast<std::int32_t>(q);
        }
      }
      std::int64_t most = 1;
      for (const std::int32_t q : named) {
        const auto votes = std::count(named.begin(), named.end(), q);
        if (q < 0 || votes <= most) continue;
        most = votes;
        partner[p][f] = q;
      }
    }
  }
}

}  // namespace pmtr
