// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/dataset/layout.h"
#include "pmtr/dataset/mating_surfaces.h"
#include "pmtr/mesh/measures.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// One object in pieces, in the assembled pose, with what is true about it.
struct BrokenObject {
  std::string object;                    ///< "everyday/Bottle/738d"
  std::string fracture;                  ///< "fractured_3"
  std::string category;                  ///< "Bottle"
  std::vector<std::string> piece_names;  ///< file names, "piece_0.ply"
  std::vector<TriangleMesh> pieces;
  std::vector<double> volumes;  ///< [piece] enclosed; for open pieces without meaning
  MatingSurfaces mating;
  std::int64_t wall_triangles = 0;  ///< internal walls that were there and are removed

  std::string name() const { return object + "/" + fracture; }
};

struct ReadObjectOptions {
  MatingOptions mating;
  bool remove_walls = true;  ///< raw releases have each internal wall twice (internal_walls.h)

  Status validate() const;
};

/// Every piece holds at least this share of the volume of all: what the volume-constrained release promises.
bool volume_constrained(const BrokenObject& object, double least_share = 1.0 / 40.0);

/// Puts the parts together: volumes and mating surfaces are found here. The names may be empty.
BrokenObject make_broken_object(std::vector<TriangleMesh> pieces, const MatingOptions& options = {});

/// Reads one fracture of an index. Pieces without triangles are errors.
Result<BrokenObject> read_broken_object(const DatasetIndex& index, const ObjectFiles& object,
                                        const FractureFiles& fracture, const ReadObjectOptions& options = {});

}  // namespace pmtr
