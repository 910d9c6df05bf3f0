// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pmtr/pipeline/assemble_fragments.h"

namespace pmtr {

/// Fragments as they can be used. Everything that looks at their surfaces takes them from here, not from the
/// files: a surface that is inside out would be sampled inside out.
class UsableScans {
 public:
  UsableScans(std::span<const TriangleMesh* const> given, std::vector<std::optional<TriangleMesh>> mended)
      : given_(given.begin(), given.end()), mended_(std::move(mended)) {}
  /// In the given order; valid as long as this and what was given.
  std::vector<const TriangleMesh*> surfaces() const;

 private:
  std::vector<const TriangleMesh*> given_;
  std::vector<std::optional<TriangleMesh>> mended_;  ///< nothing where a mesh can be used as it is
};

/// Clouds that come without normals get what their points tell of them, faults of meshes are cured where that
/// is safe; both are said as warnings that name the fragment (AssembleOptions::names). Faces and vertices
/// keep their numbers.
Result<UsableScans> make_usable(std::span<const TriangleMesh* const> meshes, const AssembleOptions& options,
                                Threads& threads, const Listener& listener);

}  // namespace pmtr
