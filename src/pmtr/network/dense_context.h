// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/sample/point_cloud.h"
#include "pmtr/sample/surface_features.h"

namespace pmtr {

/// Who is around each point of a dense cloud, at three distances, told apart by whether they face the same
/// way: a fracture is a face with an edge around it, so what a point's neighbours are says much about what it
/// is itself.
struct DenseContext {
  static constexpr int scales = 3;
  static constexpr int per_scale = 4;
  /// Own features, their mean, the logit and the probability, and what there is of each scale.
  static constexpr int width = 2 * SurfaceFeatures::width + 2 + scales * per_scale;

  /// Neighbours of all points in a row: j, or -1 - j where it faces another way (more than 60 degrees off).
  struct Scale {
    std::vector<std::int32_t> begin;  ///< [points + 1]
    std::vector<std::int32_t> neighbours;
  };
  std::array<Scale, scales> scale;
  std::vector<float>
      mean_features;  ///< [points, SurfaceFeatures::width], over the nearest that face the same way

  bool empty() const { return mean_features.empty(); }
};

/// `coarse` points, evenly spread, begin the cloud: the wider scales look at those alone.
DenseContext find_dense_context(const PointCloud& cloud, std::size_t coarse, const SurfaceFeatures& features,
                                Threads& threads);

/// What a second look goes by [points, DenseContext::width], all of about unit size, from what a first look
/// said of every point.
std::vector<float> context_columns(const DenseContext& context, const SurfaceFeatures& features,
                                   std::span<const float> logits, Threads& threads);

}  // namespace pmtr
