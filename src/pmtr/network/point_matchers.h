// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include "pmtr/network/layers.h"
#include "pmtr/network/matcher.h"

namespace pmtr {

/// The plainest matchers: linear layers with an activation between them, on each point by itself and the same
/// for both roles. One layer is the paper's "Linear", two are its "MLP".
class PerceptronMatcher : public FragmentMatcher {
 public:
  PerceptronMatcher(const ParameterScope& scope, std::int64_t width, int depth);

  torch::Tensor transform(const torch::Tensor& features, const MatchSite& site, Role role,
                          const Execution& execution) const override;

 private:
  std::vector<Linear> layers_;
};

}  // namespace pmtr
