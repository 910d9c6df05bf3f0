// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/pipeline/assemble_fragments.h"

namespace pmtr {

/// The fragments of an object as clouds in object units, with the size of the object that was given or else
/// estimated.
Result<std::vector<FragmentClouds>> sample_meshes(std::span<const TriangleMesh* const> meshes,
                                                  const AssembleOptions& options, Threads& threads,
                                                  const Listener& listener);

}  // namespace pmtr
