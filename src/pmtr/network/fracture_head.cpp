// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/fracture_head.h"

#include <algorithm>

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/network/ops.h"

namespace pmtr {
namespace {

constexpr std::int64_t head_width = 64;

}  // namespace

SecondLook::SecondLook(const ParameterScope& scope)
    : wide(scope / "wide", DenseContext::width, head_width, 0, leaky_slope),
      middle(scope / "middle", head_width, head_width / 2, 0, leaky_slope),
      out(scope / "out", head_width / 2, 1) {
  const torch::NoGradGuard no_grad;
  out.weight.zero_();
  out.bias.zero_();
}

torch::Tensor SecondLook::operator()(const DenseSite& dense, const torch::Tensor& logits,
                                     const Execution& execution) const {
  const torch::Tensor first = logits.detach().contiguous();
  const auto count = static_cast<std::size_t>(first.numel());
  PMTR_CHECK(execution.threads != nullptr, "an execution has threads");
  const std::vector<float> values =
      context_columns(dense.context, dense.features, {first.data_ptr<float>(), count}, *execution.threads);
  const torch::Tensor columns = torch::empty({first.numel(), std::int64_t{DenseContext::width}});
  std::copy(values.begin(), values.end(), columns.data_ptr<float>());
  return first + out(middle(wide(columns, execution), execution), execution).squeeze(1);
}

FractureHead::FractureHead(const ParameterScope& scope, bool context)
    : own(scope / "own", SurfaceFeatures::width, head_width, 0, 1.0),
      near(scope / "near", 128, head_width, 0, 1.0),
      wide(scope / "wide", 256, head_width, 0, 1.0),
      middle(scope / "middle", head_width, head_width / 2, 0, 1.0),
      out(scope / "out", head_width / 2, 1) {
  if (context) second.emplace(scope / "second");
}

FractureLogits FractureHead::operator()(const PyramidBatch& batch, const EncoderFeatures& encoded,
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
  x = torch::leaky_relu(x, leaky_slope);
  x = torch::leaky_relu(middle(x, execution), leaky_slope);
  FractureLogits logits;
  logits.first = logits.last = out(x, execution).squeeze(1);
  if (second) logits.last = (*second)(dense, logits.first, execution);
  return logits;
}

}  // namespace pmtr
