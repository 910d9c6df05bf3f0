// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/gap_map.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <Eigen/Geometry>

#include "pmtr/core/statistics.h"
#include "pmtr/mesh/measures.h"
#include "pmtr/mesh/triangle_tree.h"

namespace pmtr {
double mating_distance(const AssemblyRecord& record) {
  double widest = 0.0;
  for (const Joint& joint : record.assembly.joints) {
    if (joint.used && joint.evidence) widest = std::max(widest, joint.evidence->gap_p95);
  }
  const double size = record.context.object_size;
  return std::clamp(3.0 * widest, 0.004 * size, 0.02 * size);
}

double deepest_penetration(const AssemblyRecord& record) {
  double deepest = 0.0;
  for (const Joint& joint : record.assembly.joints) {
    if (joint.used && joint.evidence) deepest = std::max(deepest, joint.evidence->penetration_depth);
  }
  const double size = record.context.object_size;
  return std::clamp(1.5 * deepest, 0.004 * size, 0.01 * size);
}

void find_gaps(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes, double limit,
               std::span<DisplayMesh> shown, Threads& threads) {
  const std::vector<PlacedPart>& parts = record.assembly.parts;
  const double depth = deepest_penetration(record);
  std::vector<std::unique_ptr<TriangleTree>> trees(parts.size());
  std::vector<Eigen::AlignedBox3d> boxes(parts.size());
  threads.parallel_for(static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (!parts[i].placed || meshes[i]->faces.empty()) continue;
      trees[i] = std::make_unique<TriangleTree>(*meshes[i]);
      boxes[i] = bounding_box(*meshes[i]);
      boxes[i].min().array() -= limit;
      boxes[i].max().array() += limit;
    }
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    DisplayMesh& mesh = shown[i];
    if (!parts[i].placed || mesh.normals.size() != mesh.positions.size()) continue;
    mesh.gaps.assign(mesh.positions.size(), -1.0F);
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (j == i || !trees[j] || parts[j].component != parts[i].component) continue;
      const Rigid3 other_from_part = parts[j].world_from_part.inverse() * parts[i].world_from_part;
      const auto count = static_cast<std::int64_t>(mesh.positions.size());
      threads.parallel_for(count, 512, [&](std::int64_t begin, std::int64_t end) {
        for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
          const Eigen::Vector3d point = other_from_part * mesh.positions[v];
          if (!boxes[j].contains(point)) continue;
          const Eigen::Vector3d normal = other_from_part.rotation * mesh.normals[v].cast<double>();
          float& gap = mesh.gaps[v];
          const double nearest = gap < 0.0F ? limit : static_cast<double>(gap);
          const double distance = trees[j]->distance_to_facing(point, normal, opposed_cosine, nearest);
          if (distance >= nearest) continue;
          // A thin wall: the other part's far side faces us through it. Going outwards leads away from it.
          if (distance > depth && trees[j]->distance_to_facing(point + 0.5 * distance * normal, normal,
                                                               opposed_cosine, distance) >= distance) {
            continue;
          }
          gap = static_cast<float>(distance);
        }
      });
    }
  }
}

double gap_scale(std::span<const DisplayMesh> shown) {
  std::vector<float> gaps;
  for (const DisplayMesh& mesh : shown) {
    for (const float gap : mesh.gaps) {
      if (gap >= 0.0F) gaps.push_back(gap);
    }
  }
  const double high = percentile(std::move(gaps), 0.98);
  if (!(high > 0.0)) return 0.0;
  const double power = std::pow(10.0, std::floor(std::log10(high)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= high) return step * power;
  }
  return 10.0 * power;
}

}  // namespace pmtr
