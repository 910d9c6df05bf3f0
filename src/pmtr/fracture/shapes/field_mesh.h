// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/result.h"
#include "pmtr/fracture/shapes/field.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// The surface of a solid that lies within 1.5 of the origin along every axis: closed, every edge with two
/// faces, free of crossings, the largest part alone. `steps` is the number of grid steps along its longest
/// side; what is thinner than two steps may be lost. Edges stay sharp: a vertex stands where the planes at
/// the crossings of its grid cell meet. An error if no clean surface is found.
Result<TriangleMesh> mesh_of_field(const field::Field& field, double steps);

}  // namespace pmtr
