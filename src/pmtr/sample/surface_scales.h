// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>

#include "pmtr/core/threads.h"
#include "pmtr/sample/point_cloud.h"
#include "pmtr/sample/surface_features_loops.h"

namespace pmtr {

/// What is asked at each point and radius, and where the answer goes: row i begins with `per_radius` numbers
/// of the first radius.
struct SurfaceDescription {
  void (*describe)(const SurfaceNeighbours& near, float radius, const float* point, const float* normal,
                   float* out) = nullptr;
  std::size_t per_radius = 0;
  std::size_t row_width = 0;
};

/// Describes the surface that `surface` samples around every point of `at`, at every radius. For large radii
/// the surface is thinned to some hundred neighbours. Private to this stage.
void describe_scales(const PointCloud& surface, const PointCloud& at, std::span<const float> radii,
                     const SurfaceDescription& description, std::span<float> rows, Threads& threads);

}  // namespace pmtr
