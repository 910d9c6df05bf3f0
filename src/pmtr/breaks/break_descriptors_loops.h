// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

namespace pmtr {

/// The break points around a cube, coordinate by coordinate: a multiple of eight, filled up with points too
/// far away to count.
struct BreakNeighbours {
  static constexpr long lanes = 8;
  long count = 0;
  const float* position[3] = {};
  const float* normal[3] = {};
  const float* rim = nullptr;
};

/// A point to describe at one radius.
struct BreakPlace {
  const float* point = nullptr;
  const float* x = nullptr;  ///< unit axes; x and y are any where has_x is false
  const float* y = nullptr;
  const float* z = nullptr;
  bool has_x = false;
  float radius = 0.0F;
  float density = 0.0F;  ///< neighbours per area
};

// The polar map and the histograms of one place. The layout is that of BreakDescriptors.
#define PMTR_BREAK_LOOPS \
  void describe_break(const BreakNeighbours& near, const BreakPlace& place, float* map, float* histogram);

namespace portable {
PMTR_BREAK_LOOPS
}
namespace avx2 {
PMTR_BREAK_LOOPS
}
#undef PMTR_BREAK_LOOPS

}  // namespace pmtr
