// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/dataset/mating_surfaces.h"

namespace pmtr {

/// Mating surfaces of pieces whose triangles do not coincide. A triangle is tried at four points (its centre
/// and half way to each corner): each looks for the nearest triangle of another piece that faces it. The
/// piece named most often is the partner, if at least two points name it. Private to this stage.
void mark_facing(std::span<const TriangleMesh> pieces, const MatingOptions& options,
                 std::vector<std::vector<std::int32_t>>& partner);

}  // namespace pmtr
