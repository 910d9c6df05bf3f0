// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/point_matchers.h"

#include <torch/types.h>

namespace pmtr {

PerceptronMatcher::PerceptronMatcher(const ParameterScope& scope, std::int64_t width, int depth) {
  for (int i = 0; i < depth; ++i) layers_.emplace_back(scope / "perceptron" / i, width, width);
}

torch::Tensor PerceptronMatcher::transform(const torch::Tensor& features, const MatchSite& /*site*/,
                                           Role /*role*/, const Execution& execution) const {
  torch::Tensor x = features;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (i > 0) x = torch::leaky_relu(x, leaky_slope);
    x = layers_[i](x, execution);
  }
  return x;
}

}  // namespace pmtr
