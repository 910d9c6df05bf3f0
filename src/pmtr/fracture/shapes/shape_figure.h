// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/random.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// A solid figure: a body, a head and limbs that flow into each other. `detail` is the number of grid steps
/// along its longest side, nearly.
TriangleMesh make_figure(int detail, Random& random);

}  // namespace pmtr
