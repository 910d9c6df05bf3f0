// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/network/tensor.h"
#include "pmtr/pyramid/pyramid.h"

namespace pmtr {

/// One resolution of one or several fragments, stacked: rows of the first fragment, then of the next.
struct BatchLevel {
  torch::Tensor points;      ///< [points, 3] float
  torch::Tensor neighbours;  ///< [points, width] int32; pad = number of points
  torch::Tensor down;        ///< [points of the next level, width] int32 into this level; or undefined
  torch::Tensor up;          ///< [points] int32, the nearest point of the next level; or undefined
  std::vector<std::int64_t> lengths;  ///< points of each fragment
};

/// What the network reads. A batch of one fragment, or of a pair in reference mode.
struct PyramidBatch {
  std::array<BatchLevel, PyramidOptions::levels> levels;
  torch::Tensor inputs;  ///< [points of level 0, channels], or undefined
};

PyramidBatch stack_pyramids(std::span<const Pyramid* const> pyramids);

}  // namespace pmtr
