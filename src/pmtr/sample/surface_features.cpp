// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/surface_features.h"

#include "pmtr/kernels/isa.h"
#include "pmtr/sample/surface_features_loops.h"
#include "pmtr/sample/surface_scales.h"

namespace pmtr {

SurfaceFeatures find_surface_features(const PointCloud& surface, const PointCloud& at, Threads& threads) {
  SurfaceFeatures features;
  features.rows = static_cast<std::int64_t>(at.points.size());
  features.values.resize(at.points.size() * SurfaceFeatures::width);
  describe_scales(surface, at, SurfaceFeatures::radii,
                  {PMTR_PICK(describe_surface), SurfaceFeatures::per_radius, SurfaceFeatures::width},
                  features.values, threads);
  return features;
}

}  // namespace pmtr
