// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// What is wrong with a mesh as scanners and programs leave it. Vertices with equal coordinates count as one
/// where edges and surfaces are meant, or every STL would be nothing but rims.
struct ScanFaults {
  std::int64_t copied_vertices = 0;  ///< with the coordinates of another
  std::int64_t unused_vertices = 0;  ///< that no face names
  std::int64_t flat_faces = 0;       ///< without area
  std::int64_t edges = 0;
  std::int64_t open_edges = 0;       ///< on one face only: the rim of a hole
  std::int64_t crowded_edges = 0;    ///< on more than two faces
  std::int64_t turned_faces = 0;     ///< that look to the other side than most of their surface
  int surfaces = 0;                  ///< that hang together, specks left out
  int specks = 0;                    ///< surfaces too small to be part of a fragment
  double speck_share = 0.0;          ///< of the area
  bool inside_out = false;           ///< all of it faces inwards
  std::vector<std::uint8_t> speck;   ///< [face] 1: of a speck
  std::vector<std::uint8_t> turned;  ///< [face] 1: one of turned_faces

  bool closed() const { return edges > 0 && open_edges == 0; }
  /// Is there anything that mend_scan changes?
  bool mendable() const { return specks > 0 || turned_faces > 0 || inside_out; }
};

/// Nothing is wrong with a point cloud; its normals are the matter of estimate_normals. Faces must name
/// vertices that there are.
ScanFaults find_faults(const TriangleMesh& mesh);

/// The mesh with what is safely cured: turned faces turned back, a surface that is inside out turned outside,
/// specks without area. Vertices and faces keep their numbers.
TriangleMesh mend_scan(TriangleMesh mesh, const ScanFaults& faults);

/// What a person should know, one sentence each, in plain words; what mend_scan cures is said to be cured.
std::vector<std::string> describe_faults(const ScanFaults& faults);

}  // namespace pmtr
