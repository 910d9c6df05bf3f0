// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

enum class MatingMethod {
  automatic,  ///< exact if any two triangles of different pieces coincide, else by distance
  exact,      ///< same three corners, bit for bit, reversed: simulated fractures
  distance,   ///< near and facing each other: scans put together by hand
};

struct MatingOptions {
  MatingMethod method = MatingMethod::automatic;
  /// By distance: how far apart two mating surfaces may be, as a share of the object's longest side. Keep it
  /// below the thickness of the walls.
  double tolerance = 0.005;
  /// By distance: normals must differ by at least this, in degrees; 180 is exactly opposed.
  double least_normal_angle = 120.0;
  /// Pairs that share less than this, as a share of the smaller piece's area, do not count as adjacent.
  double least_share = 0.0;

  Status validate() const;
};

/// Two pieces that touch. Areas are in the square of the meshes' unit.
struct MatingPair {
  std::int32_t a = 0;  ///< a < b
  std::int32_t b = 0;
  double area = 0.0;        ///< of the surface they share; by distance: the mean of both sides
  double share_of_a = 0.0;  ///< that surface over the whole area of the piece
  double share_of_b = 0.0;
};

/// Pairs that mate less than this, as a share of the smaller piece, are left out where networks and systems
/// are compared: a person would not expect them to be found, and they say little.
inline constexpr double comparable_overlap = 0.03;

/// Where the pieces of one object touch: what is true about a broken object besides the poses.
struct MatingSurfaces {
  /// [piece][triangle]: the piece on the other side, -1 on the outer surface.
  std::vector<std::vector<std::int32_t>> partner;
  std::vector<MatingPair> pairs;    ///< sorted by a, then b
  std::vector<double> piece_areas;  ///< [piece]
  bool exact = true;                ///< found by coincidence, not by distance

  double whole_area() const { return std::accumulate(piece_areas.begin(), piece_areas.end(), 0.0); }
};

/// The pieces are in the assembled pose. A triangle belongs to one partner as a whole. Triangles without area
/// never mate. Options out of range are a programming error here: validate them first.
MatingSurfaces find_mating_surfaces(std::span<const TriangleMesh> pieces, const MatingOptions& options = {});

/// Sums areas and pairs up from the partners. For those who know the partners already: whoever broke the
/// object, the cache.
MatingSurfaces mating_from_partners(std::span<const TriangleMesh> pieces,
                                    std::vector<std::vector<std::int32_t>> partner, bool exact,
                                    double least_share = 0.0);

}  // namespace pmtr
