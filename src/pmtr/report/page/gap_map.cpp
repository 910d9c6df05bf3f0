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
namespace {

/// The assembly before any decision: what is measured on it does not change with every click.
const Assembly& undecided(const AssemblyRecord& record) {
  return record.context.automatic ? *record.context.automatic : record.assembly;
}

/// Larger sets of trees are made anew each time: they take 100 bytes a triangle.
constexpr std::size_t most_kept_faces = 6'000'000;

}  // namespace

double mating_distance(const AssemblyRecord& record) {
  double widest = 0.0;
  for (const Joint& joint : undecided(record).joints) {
    if (joint.used && joint.evidence) widest = std::max(widest, joint.evidence->gap_p95);
  }
  const double size = record.context.object_size;
  return std::clamp(3.0 * widest, 0.004 * size, 0.02 * size);
}

double deepest_penetration(const AssemblyRecord& record) {
  double deepest = 0.0;
  for (const Joint& joint : undecided(record).joints) {
    if (joint.used && joint.evidence) deepest = std::max(deepest, joint.evidence->penetration_depth);
  }
  const double size = record.context.object_size;
  return std::clamp(1.5 * deepest, 0.004 * size, 0.01 * size);
}

GapFinder::GapFinder(std::span<const TriangleMesh* const> meshes)
    : meshes_(meshes.begin(), meshes.end()), trees_(meshes.size()), boxes_(meshes.size()) {
  for (std::size_t i = 0; i < meshes.size(); ++i) boxes_[i] = bounding_box(*meshes[i]);
}

void GapFinder::look(std::size_t part, std::size_t other, const Rigid3& other_from_part,
                     const DisplayMesh& shown, Threads& threads) {
  Found& found = found_[{part, other}];
  found.other_from_part = other_from_part;
  found.gaps.clear();
  Eigen::AlignedBox3d box = boxes_[other];
  if (box.isEmpty()) return;
  box.min().array() -= limit_;
  box.max().array() += limit_;
  Eigen::AlignedBox3d here;
  for (int corner = 0; corner < 8; ++corner)
    here.extend(other_from_part *
                Eigen::Vector3d(boxes_[part].corner(static_cast<Eigen::AlignedBox3d::CornerType>(corner))));
  if (!here.intersects(box)) return;
  std::vector<float> gaps(shown.positions.size(), -1.0F);
  threads.parallel_for(
      static_cast<std::int64_t>(gaps.size()), 512, [&](std::int64_t begin, std::int64_t end) {
        for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
          const Eigen::Vector3d point = other_from_part * shown.positions[v];
          if (!box.contains(point)) continue;
          const Eigen::Vector3d normal = other_from_part.rotation * shown.normals[v].cast<double>();
          const double distance = trees_[other]->distance_to_facing(point, normal, opposed_cosine, limit_);
          if (distance >= limit_) continue;
          // A thin wall: the other part's far side faces us through it. Going outwards leads away from it.
          if (distance > depth_ && trees_[other]->distance_to_facing(point + 0.5 * distance * normal, normal,
                                                                     opposed_cosine, distance) >= distance) {
            continue;
          }
          gaps[v] = static_cast<float>(distance);
        }
      });
  for (std::size_t v = 0; v < gaps.size(); ++v)
    if (gaps[v] >= 0.0F) found.gaps.emplace_back(static_cast<std::uint32_t>(v), gaps[v]);
}

void GapFinder::fill(const AssemblyRecord& record, double limit, std::span<DisplayMesh> shown,
                     Threads& threads) {
  const std::vector<PlacedPart>& parts = record.assembly.parts;
  if (const double depth = deepest_penetration(record); limit != limit_ || depth != depth_) {
    found_.clear();
    limit_ = limit;
    depth_ = depth;
  }
  const double still = 1e-9 * std::max(record.context.object_size, limit);
  std::vector<std::pair<std::size_t, std::size_t>> touching;
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, Rigid3>> anew;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    shown[i].gaps.clear();
    if (!parts[i].placed || shown[i].normals.size() != shown[i].positions.size()) continue;
    shown[i].gaps.assign(shown[i].positions.size(), -1.0F);
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (j == i || !parts[j].placed || meshes_[j]->faces.empty() || parts[j].component != parts[i].component)
        continue;
      const Rigid3 other_from_part = parts[j].world_from_part.inverse() * parts[i].world_from_part;
      touching.emplace_back(i, j);
      const auto known = found_.find({i, j});
      if (known != found_.end()) {
        const Rigid3& then = known->second.other_from_part;
        if ((then.rotation - other_from_part.rotation).norm() < 1e-9 &&
            (then.translation - other_from_part.translation).norm() < still)
          continue;
      }
      anew.push_back({{i, j}, other_from_part});
    }
  }
  std::vector<std::size_t> missing;
  std::size_t faces = 0;
  for (std::size_t j = 0; j < parts.size(); ++j) {
    faces += meshes_[j]->faces.size();
    if (!trees_[j] &&
        std::any_of(anew.begin(), anew.end(), [&](const auto& pair) { return pair.first.second == j; }))
      missing.push_back(j);
  }
  threads.parallel_for(static_cast<std::int64_t>(missing.size()), 1,
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t k = begin; k < end; ++k) {
                           const std::size_t j = missing[static_cast<std::size_t>(k)];
                           trees_[j] = std::make_unique<TriangleTree>(*meshes_[j]);
                         }
                       });
  for (const auto& [pair, pose] : anew) look(pair.first, pair.second, pose, shown[pair.first], threads);
  if (faces > most_kept_faces)
    for (std::unique_ptr<TriangleTree>& tree : trees_) tree.reset();
  for (const auto& [part, other] : touching) {
    for (const auto& [v, distance] : found_[{part, other}].gaps) {
      float& gap = shown[part].gaps[v];
      if (gap < 0.0F || distance < gap) gap = distance;
    }
  }
}

void find_gaps(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes, double limit,
               std::span<DisplayMesh> shown, Threads& threads) {
  GapFinder(meshes).fill(record, limit, shown, threads);
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
