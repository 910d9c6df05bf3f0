// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/network/backbone.h"
#include "pmtr/network/fragment_input.h"
#include "pmtr/network/layers.h"

namespace pmtr {

/// For every point of a dense cloud, how likely the fragment is broken there: what the point's own
/// surroundings look like, together with what the encoder saw around the nearest point of the network's
/// cloud. It does not look at the matchers, so it is the same in both roles.
struct FractureHead {
  UnaryBlock own;   ///< surface features of the dense point
  UnaryBlock near;  ///< encoder features of level 0
  UnaryBlock wide;  ///< decoder features of level 1, before any matcher
  UnaryBlock middle;
  Linear out;

  explicit FractureHead(const ParameterScope& scope);

  /// Logits [dense points]. `batch` holds one fragment.
  torch::Tensor operator()(const PyramidBatch& batch, const EncoderFeatures& encoded,
                           const torch::Tensor& shared, const DenseSite& dense,
                           const Execution& execution) const;
};

}  // namespace pmtr
