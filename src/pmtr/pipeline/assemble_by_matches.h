// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/pipeline/assemble_fragments.h"

namespace pmtr {

/// The way of the paper: point matches between all pairs, local-to-global registration of each, and a pose
/// graph averaged over them. Surfaces only tell how well the result fits.
Result<AssembleResult> assemble_by_matches(std::span<const TriangleMesh* const> given,
                                           const FragmentEncoder& encoder, const AssembleOptions& options,
                                           Threads& threads, const Listener& listener);

}  // namespace pmtr
