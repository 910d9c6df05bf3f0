// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/fracture_head.h"

#include <algorithm>

#include "pmtr/core/check.h"
#include "pmtr/network/ops.h"

namespace pmtr {
namespace {

constexpr std::int64_t width = 64;
constexpr double slope = 0.1;

}  // namespace

FractureHead::FractureHead(const ParameterScope& scope)
    : own(scope / "own", SurfaceFeatures::width, width, 0, 1.0),
      near(scope / "near", 128, width, 0, 1.0),
      wide(scope / "wide", 256, width, 0, 1.0),
      middle(scope / "middle", width, width / 2, 0, 1.0),
      out(scope / "out", width / 2, 1) {}

torch::Tensor FractureHead::operator()(const PyramidBatch& batch, const EncoderFeatures& encoded,
                                       const torch::Tensor& shared, const DenseSite& dense,
                                       const Execution& execution) const {
  PMTR_CHECK(batch.levels[0].lengths.size() == 1, "one fragment at a time");
  const auto count = static_cast<std::int64_t>(dense.nearest.size());
  PMTR_CHECK(dense.features.rows == count, "one row of features per dense point");
  const torch::Tensor nearest = torch::empty({count}, torch::kInt);
  std::copy(dense.nearest.begin(), dense.nearest.end(), nearest.data_ptr<std::int32_t>());
  const torch::Tensor features = torch::empty({count, std::int64_t{SurfaceFeatures::width}});
  std::copy(dense.features.values.begin(), dense.features.values.end(), features.data_ptr<float>());

  // Linear layers commute with the choice of rows, so each works on its own level.
  const torch::Tensor from_level1 =
      ops::upsample(wide(shared, execution), batch.levels[0].up, execution) + near(encoded[0], execution);
  torch::Tensor x = own(features, execution) + ops::upsample(from_level1, nearest, execution);
  x = torch::leaky_relu(x, slope);
  x = torch::leaky_relu(middle(x, execution), slope);
  return out(x, execution).squeeze(1);
}

}  // namespace pmtr
