// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/fracture/fracture_mesh.h"

namespace pmtr {

/// What object.json says beside the pieces themselves.
struct ObjectContext {
  std::string source;  ///< the file or shape that was broken
  bool cells = false;  ///< refractured cells: there was nothing to cut
  FractureOptions options;
  std::string extension = ".ply";  ///< or ".obj"
  bool scatter = false;  ///< pieces are turned at random and lie at the origin; object.json says how
};

/// Writes piece_I.ply (or .obj) and object.json into the folder, which is made; files of an earlier object
/// there are removed first. Missing pieces are not written. Poses map a written piece to its place in the
/// object.
Status write_object(const std::filesystem::path& folder, const FracturedObject& object,
                    const ObjectContext& context);

}  // namespace pmtr
