// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/sample/surface_features_loops.h"

namespace pmtr {

// The eight features of one radius at a point with its normal.
#define PMTR_SHAPE_LOOPS                                                                                    \
  void describe_shape(const SurfaceNeighbours& near, float radius, const float* point, const float* normal, \
                      float* out);

namespace portable {
PMTR_SHAPE_LOOPS
}
namespace avx2 {
PMTR_SHAPE_LOOPS
}
#undef PMTR_SHAPE_LOOPS

}  // namespace pmtr
