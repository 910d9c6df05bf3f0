// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/break_embedding.h"

#include <algorithm>
#include <cmath>

#include <torch/types.h>

namespace pmtr {

BreakEmbedding::BreakEmbedding(const ParameterScope& scope)
    : wide(scope / "wide", BreakDescriptors::width, 256),
      wide_norm(scope / "wide_norm", 256),
      middle(scope / "middle", 256, 256),
      middle_norm(scope / "middle_norm", 256),
      out(scope / "out", 256, width),
      to_fine(scope / "to_fine", width, 128),
      to_coarse(scope / "to_coarse", width, 512),
      fine_share(scope.constant("fine_share", {}, 0.1)),
      coarse_share(scope.constant("coarse_share", {}, 0.1)),
      temperature(scope.constant("temperature", {}, std::log(12.0))) {}

torch::Tensor BreakEmbedding::operator()(const BreakDescriptors& descriptors,
                                         const Execution& execution) const {
  torch::Tensor x = torch::empty({descriptors.rows, std::int64_t{BreakDescriptors::width}});
  std::copy(descriptors.values.begin(), descriptors.values.end(), x.data_ptr<float>());
  x = torch::leaky_relu(wide_norm(wide(x, execution)), leaky_slope);
  x = torch::leaky_relu(middle_norm(middle(x, execution)), leaky_slope);
  return out(x, execution);
}

}  // namespace pmtr
