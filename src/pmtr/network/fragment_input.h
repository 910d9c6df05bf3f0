// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/network/break_input.h"
#include "pmtr/network/dense_context.h"
#include "pmtr/network/network_options.h"
#include "pmtr/sample/point_cloud.h"
#include "pmtr/sample/surface_features.h"

namespace pmtr {

/// Points of a dense cloud, tied to those the network sees.
struct DenseSite {
  std::vector<std::int32_t> nearest;  ///< per dense point the nearest point of level 0
  SurfaceFeatures features;           ///< of the dense points
  DenseContext context;               ///< empty without NetworkOptions::fracture_context
};

/// All that the network reads of one fragment.
struct FragmentInput {
  Pyramid pyramid;
  DenseSite dense;    ///< for the fracture head; may be empty
  BreakInput breaks;  ///< for the break network; empty without one
  /// For a network on breaks: it finds them in this cloud, by what the break network says, or by this.
  PointCloud surface;
  std::vector<float> known_fracture;  ///< [point of the surface], or empty
};

/// `area` is that of the fragment's surface, `object_size` that of the whole object, both in the clouds'
/// unit. The fracture head looks at the first `looked_at` points of the dense cloud, all if there are fewer;
/// the rest only shape the surface features. The dense cloud is needed where the network has a fracture head
/// or surface input, and is best if it begins with the points of `cloud`; without one `cloud` takes its
/// place.
Result<FragmentInput> prepare_input(const PointCloud& cloud, const PointCloud& dense, double area,
                                    double object_size, const NetworkOptions& network, std::size_t looked_at,
                                    Threads& threads);

}  // namespace pmtr
