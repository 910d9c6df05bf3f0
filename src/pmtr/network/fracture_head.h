// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>

#include "pmtr/network/backbone.h"
#include "pmtr/network/fragment_input.h"
#include "pmtr/network/layers.h"

namespace pmtr {

/// [dense points] each. `first` is what a point alone looks like, `last` what to use; they are the same
/// without a context. No gradient goes from one to the other: each has its own loss.
struct FractureLogits {
  torch::Tensor first;
  torch::Tensor last;
};

/// What is added to a point's logit when its neighbours are known; nothing before it was trained.
struct SecondLook {
  UnaryBlock wide;
  UnaryBlock middle;
  Linear out;

  explicit SecondLook(const ParameterScope& scope);
  torch::Tensor operator()(const DenseSite& dense, const torch::Tensor& logits,
                           const Execution& execution) const;
};

/// For every point of a dense cloud, how likely the fragment is broken there: what the point's own
/// surroundings look like, together with what the encoder saw around the nearest point of the network's
/// cloud. It does not look at the matchers, so it is the same in both roles.
struct FractureHead {
  UnaryBlock own;   ///< surface features of the dense point
  UnaryBlock near;  ///< encoder features of level 0
  UnaryBlock wide;  ///< decoder features of level 1, before any matcher
  UnaryBlock middle;
  Linear out;
  std::optional<SecondLook> second;

  FractureHead(const ParameterScope& scope, bool context);

  /// `batch` holds one fragment.
  FractureLogits operator()(const PyramidBatch& batch, const EncoderFeatures& encoded,
                            const torch::Tensor& shared, const DenseSite& dense,
                            const Execution& execution) const;
};

}  // namespace pmtr
