// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "pmtr/core/threads.h"
#include "pmtr/mesh/triangle_tree.h"
#include "pmtr/report/page/display_mesh.h"
#include "pmtr/report/record/assembly_json.h"

namespace pmtr {

/// Normals that differ by more than 120 degrees face each other.
inline constexpr double opposed_cosine = -0.5;

/// From how far on two surfaces that face each other count as mating: three times the widest gap that was
/// measured on a used joint, but between 0.4 % and 2 % of the object's size. Decisions do not change it.
double mating_distance(const AssemblyRecord& record);

/// How deep surfaces may reach into each other and still count as mating: 1.5 times what was measured on a
/// used joint, but between 0.4 % and 1 % of the object's size.
double deepest_penetration(const AssemblyRecord& record);

/// Remembers what it found between two parts: it looks again only where they stand otherwise to each other.
/// The meshes must outlive it.
class GapFinder {
 public:
  explicit GapFinder(std::span<const TriangleMesh* const> meshes);
  /// As find_gaps, always for the same meshes.
  void fill(const AssemblyRecord& record, double limit, std::span<DisplayMesh> shown, Threads& threads);

 private:
  struct Found {
    Rigid3 other_from_part;
    std::vector<std::pair<std::uint32_t, float>> gaps;  ///< vertex and distance
  };
  std::vector<const TriangleMesh*> meshes_;
  std::vector<std::unique_ptr<TriangleTree>> trees_;
  std::vector<Eigen::AlignedBox3d> boxes_;
  std::map<std::pair<std::size_t, std::size_t>, Found> found_;  ///< by part and other part
  double limit_ = -1.0;                                         ///< that these hold for
  double depth_ = -1.0;

  void look(std::size_t part, std::size_t other, const Rigid3& other_from_part, const DisplayMesh& shown,
            Threads& threads);
};

/// Fills DisplayMesh::gaps of all placed parts: the distance of each vertex to the nearest triangle of
/// another part of its component that faces it, up to `limit`. Distances go to the surfaces themselves
/// (`meshes`), not to what is displayed.
void find_gaps(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes, double limit,
               std::span<DisplayMesh> shown, Threads& threads);

/// A round number that nearly all gaps lie under: the upper end of a colour scale. At least 0.
double gap_scale(std::span<const DisplayMesh> shown);

}  // namespace pmtr
