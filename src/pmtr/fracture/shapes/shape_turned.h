// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/random.h"
#include "pmtr/fracture/shapes/shape_profile.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// The form turned about the axis, slightly uneven, as thrown by hand.
TriangleMesh turn(const TurnedForm& form, int around, Random& random);

/// The same with a handle on the outside: two openings in the wall, joined by a bent tube.
TriangleMesh turn_with_handle(const TurnedForm& form, int around, Random& random);

}  // namespace pmtr
