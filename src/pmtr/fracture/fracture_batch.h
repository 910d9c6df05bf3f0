// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/fracture/fracture_mesh.h"
#include "pmtr/fracture/shapes/shapes.h"

namespace pmtr {

/// A dataset to be made: which objects are broken, how often and how.
struct FractureBatchOptions {
  std::vector<std::filesystem::path> files;  ///< closed meshes, or cells (.npz)
  std::vector<std::string> shapes;           ///< names of shapes (shapes.h)
  ShapeOptions shape;                        ///< object k of a shape has the seed of this plus k
  int count = 1;                             ///< objects of each shape
  FractureOptions fracture;                  ///< fracture k of an object has the seed of this plus k
  std::optional<int> max_pieces;             ///< the number of pieces is drawn, from fracture.pieces to this
  int fractures = 1;                         ///< of each object
  std::optional<std::filesystem::path> foreign;  ///< another object: each fracture gets one of its pieces
  std::string category;  ///< folder of the objects; empty: "everyday/<Shape>" for shapes, "other" for files
  std::string format;    ///< "ply" or "obj"; empty: ply, and obj where there are materials
  bool scatter = false;  ///< pieces are turned at random; object.json has the poses

  /// But for `shape` and `fracture`, which are checked where a shape is made and an object is broken: what is
  /// possible depends on the number of pieces that was drawn.
  Status validate() const;
};

struct FractureBatchResult {
  std::int64_t objects = 0;
  std::int64_t fractures = 0;
  std::int64_t pieces = 0;
};

/// Breaks every object and writes `out`/<category>/<object>/fractured_K/, the layout of Breaking Bad. Ends
/// with the first object that cannot be read, broken or written.
Result<FractureBatchResult> fracture_batch(const FractureBatchOptions& options,
                                           const std::filesystem::path& out, const Listener& listener);

}  // namespace pmtr
