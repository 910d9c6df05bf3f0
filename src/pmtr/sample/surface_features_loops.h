// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

namespace pmtr {

/// The points around a cube, coordinate by coordinate: a multiple of eight, filled up with points too far
/// away to count.
struct SurfaceNeighbours {
  static constexpr long lanes = 8;
  long count = 0;
  const float* position[3] = {};
  const float* normal[3] = {};
};

// The seven features of one radius at a point with its normal.
#define PMTR_SURFACE_LOOPS                                                               \
  void describe_surface(const SurfaceNeighbours& near, float radius, const float* point, \
                        const float* normal, float* out);

namespace portable {
PMTR_SURFACE_LOOPS
}
namespace avx2 {
PMTR_SURFACE_LOOPS
}
#undef PMTR_SURFACE_LOOPS

}  // namespace pmtr
