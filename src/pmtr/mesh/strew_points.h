// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// A mesh as a scanner that knows no faces would give it.
struct StrewnPoints {
  TriangleMesh cloud;                ///< points alone
  std::vector<std::uint32_t> faces;  ///< of the mesh, that each point lies on
};

/// Points at random, by area. The mesh has faces with an area.
StrewnPoints strew_points(const TriangleMesh& mesh, int count, Random& random);

}  // namespace pmtr
