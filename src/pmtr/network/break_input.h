// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/pyramid/pyramid.h"
#include "pmtr/sample/point_cloud.h"
#include "pmtr/sample/shape_features.h"

namespace pmtr {

/// Who listens to whom, and what is known of each pair: numbers that turning does not change.
struct BreakEdges {
  static constexpr int numbers = 8;  ///< as kernels/edge_pool.h wants
  NeighbourTable table;
  std::vector<float> values;  ///< [rows, width, numbers]
};

/// What the break network reads of one fragment: its dense cloud, and that cloud at three coarser levels
/// whose spacing goes with the fragment's own size. Every level is some points of the one before.
struct BreakInput {
  static constexpr std::size_t levels = 4;
  ShapeFeatures features;  ///< of the dense points
  std::array<std::int64_t, levels> sizes{};
  std::array<std::vector<std::int32_t>, levels>
      chosen;                             ///< [points of level]: which of the level below; 0: empty
  std::array<BreakEdges, levels> within;  ///< level k to itself
  std::array<BreakEdges, levels> up;      ///< level k - 1 to level k; 0: empty
  std::array<BreakEdges, levels> down;    ///< level k + 1 to level k; the last: empty

  bool empty() const { return features.rows == 0; }
};

/// The cloud needs normals; `area` is that of the surface it samples, `object_size` that of the whole object
/// in the cloud's unit. The network has learnt what breaks look like at the scale of the object, whatever
/// unit later stages look at its fragments in.
BreakInput find_break_input(const PointCloud& dense, double area, double object_size, Threads& threads);

}  // namespace pmtr
