// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/pipeline/assemble_fragments.h"

namespace pmtr {

struct SampledMeshes {
  double object_size = 0.0;               ///< as it was given or else estimated, in the input's units
  std::vector<FragmentClouds> fragments;  ///< in a unit they share, the object's size or less

  double unit() const { return fragments[0].unit; }
};

/// The fragments of an object as clouds, in the unit of AssembleOptions::unit_fragments.
Result<SampledMeshes> sample_meshes(std::span<const TriangleMesh* const> meshes,
                                    const AssembleOptions& options, Threads& threads,
                                    const Listener& listener);

}  // namespace pmtr
