// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/fracture/cut/cell_complex.h"
#include "pmtr/fracture/cut/height_noise.h"
#include "pmtr/fracture/wear.h"

namespace pmtr {

/// How an object is broken. The defaults are tuned to real fractures: docs/fracture.md.
struct FractureOptions {
  int pieces = 8;  ///< 2 to 1000
  std::uint64_t seed = 0;
  /// Every piece holds at least this share of the volume. None: see RefractureOptions.
  std::optional<double> min_volume_share;
  RoughnessOptions roughness;
  double detail = 0.02;  ///< distance of points inside fracture surfaces, over the longest side
  /// Cells that are cut for each piece, and at least in all. More: more irregular pieces, and more time.
  int cells_per_piece = 3;
  int min_cells = 32;
  WearOptions wear;
  int missing = 0;  ///< this many pieces are left out, drawn at random

  Status validate() const;
};

struct FracturePiece {
  TriangleMesh mesh;
  /// Per face: the piece on its other side before wear, -1 where it is outer surface. Empty for
  /// foreign pieces.
  std::vector<std::int32_t> partner;
  double volume = 0;
  double area = 0;
  bool missing = false;  ///< lost: known, but not among what is found
  bool foreign = false;  ///< of another object
};

struct FracturedObject {
  std::vector<FracturePiece> pieces;  ///< in the assembled pose, in the units of the object
  std::vector<MatingArea> mating;     ///< which pieces share a surface, before wear
  double volume = 0;                  ///< of the whole object
  double outer_area = 0;
  bool exact = true;  ///< mating surfaces are bit-identical and reversed; not so after wear
};

/// A closed mesh to pieces: cut into cells (cut_solid.h), merged along weak places (refracture.h).
Result<FracturedObject> fracture_mesh(const TriangleMesh& mesh, const FractureOptions& options,
                                      const Listener& listener = {});

/// Cells that exist already, merged in a new way. Roughness, detail and cells have no effect.
Result<FracturedObject> fracture_cells(const CellComplex& complex, const FractureOptions& options);

/// Adds a piece of another object at the end: one of its pieces that are not missing, drawn by the seed.
void add_foreign_piece(FracturedObject& object, const FracturedObject& other, std::uint64_t seed);

}  // namespace pmtr
