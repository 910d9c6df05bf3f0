// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/rigid3.h"
#include "pmtr/dataset/broken_object.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// A broken object as its finder has it: each piece turned and moved at random, and where it belongs.
struct ScatteredObject {
  std::string path;      ///< sample_path
  std::string object;    ///< samples of one object are not independent of each other
  std::string category;  ///< "Bottle"
  double object_size = 1.0;
  /// Of the whole object's surface, how much the pieces here have. 1 unless some were left out.
  double area_share = 1.0;
  std::vector<TriangleMesh> pieces;
  std::vector<double> areas;
  std::vector<std::vector<std::uint8_t>> broken_faces;  ///< [piece][face] 1: broken there; the truth
  /// [piece][face]: the piece here on the other side of the break, -1 if there is none; the truth.
  std::vector<std::vector<std::int32_t>> partners;
  std::vector<Rigid3> world_from_piece;  ///< the truth

  /// Pieces that touch in truth, as indices into `pieces`.
  std::vector<std::pair<int, int>> adjacent;
};

/// The name of a sample: "everyday/Bottle/738d/fractured_3", "...#0+2" where only some pieces are meant.
std::string sample_path(const std::string& fracture, std::span<const int> pieces);

/// The pieces as clouds of points without faces and normals, as some scanners leave them: so many points for
/// the whole object, shared by area and strewn at random, no fewer than `least` for a piece. What is true by
/// face is then true by point.
ScatteredObject as_clouds(ScatteredObject object, int points, int least, std::uint64_t seed);

/// The pieces named by `chosen` (all if empty). What is drawn depends on the seed and the path alone.
ScatteredObject scatter(const BrokenObject& object, std::span<const int> chosen, std::uint64_t seed);

}  // namespace pmtr
