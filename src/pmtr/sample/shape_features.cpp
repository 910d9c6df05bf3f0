// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/shape_features.h"

#include <algorithm>
#include <cmath>

#include "pmtr/kernels/isa.h"
#include "pmtr/sample/shape_features_loops.h"
#include "pmtr/sample/surface_scales.h"

namespace pmtr {
namespace {

constexpr std::size_t scales = ShapeFeatures::object_radii.size() + ShapeFeatures::own_radii.size();

/// Mean and spread of each kind of number over broken objects, roughly: columns should be of one size when
/// learning begins, and which exactly does not matter. A flat disc has about sixty neighbours.
constexpr std::array<float, ShapeFeatures::per_radius> usual = {-0.1F, 0.15F,  0.17F, 0.55F,
                                                                0.4F,  -0.16F, 0.13F, 60.0F};
constexpr std::array<float, ShapeFeatures::per_radius> spread = {0.12F, 0.1F, 0.1F,  0.3F,
                                                                 0.3F,  0.2F, 0.15F, 30.0F};

}  // namespace

float own_length(double area) { return static_cast<float>(std::sqrt(std::max(area, 1e-12) / 2.0)); }

ShapeFeatures find_shape_features(const PointCloud& cloud, double area, Threads& threads) {
  const float own = own_length(area);
  std::array<float, scales> radii;
  auto next =
      std::copy(ShapeFeatures::object_radii.begin(), ShapeFeatures::object_radii.end(), radii.begin());
  for (const float radius : ShapeFeatures::own_radii) *next++ = radius * own;

  ShapeFeatures features;
  features.rows = static_cast<std::int64_t>(cloud.points.size());
  features.values.resize(cloud.points.size() * ShapeFeatures::width);
  describe_scales(cloud, cloud, radii,
                  {PMTR_PICK(describe_shape), ShapeFeatures::per_radius, ShapeFeatures::width},
                  features.values, threads);
  const float length = std::log2(own) + 2.0F;  // half a bowl: 1.5; a splinter of a hundred pieces: -3
  for (std::size_t i = 0; i < cloud.points.size(); ++i) {
    float* row = features.values.data() + i * ShapeFeatures::width;
    for (std::size_t c = 0; c + 1 < ShapeFeatures::width; ++c) {
      const std::size_t kind = c % ShapeFeatures::per_radius;
      row[c] = std::clamp((row[c] - usual[kind]) / spread[kind], -6.0F, 6.0F);
    }
    row[ShapeFeatures::width - 1] = length;
  }
  return features;
}

}  // namespace pmtr
