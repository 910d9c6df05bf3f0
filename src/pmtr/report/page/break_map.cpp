// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/break_map.h"

#include <algorithm>
#include <cmath>

#include "pmtr/core/check.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {

void find_breaks(const SeenBreaks& seen, std::span<DisplayMesh> shown, Threads& threads) {
  PMTR_CHECK(seen.surfaces.size() == shown.size(), "what was seen of every fragment");
  constexpr int looked_at = 6;      // a thin wall has points of both sides nearby
  constexpr float spacings = 6.0F;  // farther than that nothing was seen
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const SeenSurface& surface = seen.surfaces[i];
    DisplayMesh& mesh = shown[i];
    if (surface.cloud.points.empty()) continue;
    const auto spacing =
        static_cast<float>(std::sqrt(surface.area / static_cast<double>(surface.cloud.points.size())));
    std::vector<Eigen::Vector3f> positions;
    positions.reserve(mesh.positions.size());
    for (const Eigen::Vector3d& p : mesh.positions)
      positions.push_back(((p - surface.centre) / seen.unit).cast<float>());
    const NeighbourTable near = find_neighbours(positions, surface.cloud.points, spacings * spacing,
                                                looked_at, TieOrder::index, threads);
    mesh.breaks.assign(positions.size(), 0);
    for (std::size_t v = 0; v < positions.size(); ++v) {
      double sum = 0.0;
      double weight = 0.0;
      for (std::int64_t k = 0; k < near.width; ++k) {
        const auto at = static_cast<std::size_t>(
            near.index[v * static_cast<std::size_t>(near.width) + static_cast<std::size_t>(k)]);
        if (at >= surface.cloud.points.size()) break;
        const bool has_normal = mesh.normals.size() == positions.size();
        const float facing = has_normal ? mesh.normals[v].dot(surface.cloud.normals[at]) : 1.0F;
        if (facing < 0.5F) continue;
        const double distance =
            static_cast<double>((surface.cloud.points[at] - positions[v]).norm() / spacing);
        const double w = 1.0 / (0.25 + distance * distance);
        sum += w * static_cast<double>(surface.broken[at]);
        weight += w;
      }
      if (weight > 0.0) mesh.breaks[v] = static_cast<std::uint8_t>(std::lround(255.0 * sum / weight));
    }
  }
}

}  // namespace pmtr
