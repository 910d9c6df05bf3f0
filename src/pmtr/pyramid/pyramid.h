// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"

namespace pmtr {

/// For each query a row of support indices, nearest first. Short rows are padded with the number of supports.
struct NeighbourTable {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::vector<std::int32_t> index;  // [rows, width]

  std::span<const std::int32_t> row(std::int64_t i) const {
    return {index.data() + i * width, static_cast<std::size_t>(width)};
  }
};

/// One resolution of a cloud.
struct PyramidLevel {
  std::vector<Eigen::Vector3f> points;
  /// This level's points among themselves. Each is its own first neighbour unless points coincide.
  NeighbourTable neighbours;
  NeighbourTable
      down;           ///< queries: the next coarser level's points, supports: this level's; empty at the top
  NeighbourTable up;  ///< queries: this level's points, supports: the next coarser level's; empty at the top
};

/// Which of two equally distant neighbours comes first. It happens: the mean of two points is as far from one
/// as from the other.
enum class TieOrder {
  index,      ///< the smaller index
  reference,  ///< what the reference's tree and sort make of it; slow if many points coincide
};

struct PyramidOptions {
  static constexpr int levels = 3;
  /// Voxel edge of each level in object units; level 0 keeps the points as they are.
  std::array<float, levels> voxel = {0.0F, 0.02F, 0.04F};
  /// Search radius of each level's neighbours and of `down`; `up` uses the coarser level's.
  std::array<float, levels> radius = {0.125F, 0.25F, 0.5F};
  /// At most this many nearest neighbours per row.
  std::array<int, levels> neighbour_limit = {35, 32, 34};
  /// Columns of `up`. The network reads only the first; the reference stores the coarser level's limit (0
  /// asks for that).
  int up_limit = 1;
  TieOrder ties = TieOrder::index;

  Status validate() const;
};

/// A cloud at three resolutions with everything the network needs to walk between them.
struct Pyramid {
  std::array<PyramidLevel, PyramidOptions::levels> levels;
  /// What the network reads at the points of level 0 beside their places: [points, input_channels], or none.
  std::vector<float> inputs;
  std::int64_t input_channels = 0;
};

Result<Pyramid> build_pyramid(std::span<const Eigen::Vector3f> points, const PyramidOptions& options,
                              Threads& threads);

/// One pyramid per cloud, several clouds at a time where there are enough of them.
Result<std::vector<Pyramid>> build_pyramids(std::span<const std::vector<Eigen::Vector3f>> clouds,
                                            const PyramidOptions& options, Threads& threads);

}  // namespace pmtr
