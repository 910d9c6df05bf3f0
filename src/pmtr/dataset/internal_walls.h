// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// Raw releases of Breaking Bad glue the cells of a piece together without removing the walls between them:
/// each wall is there twice, with opposite orientation, and two thirds of a sample would lie inside the
/// solid. Removes such pairs of triangles and the vertices only they used; returns how many triangles. What
/// is left keeps its order.
std::int64_t remove_internal_walls(TriangleMesh& piece);

}  // namespace pmtr
