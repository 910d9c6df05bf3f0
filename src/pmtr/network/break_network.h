// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include "pmtr/network/break_input.h"
#include "pmtr/network/layers.h"

namespace pmtr {

/// A norm over the channels of each point by itself: a fragment that is nearly all break must not look like
/// one that is nearly none.
struct RowNorm {
  torch::Tensor weight;
  torch::Tensor bias;

  RowNorm(const ParameterScope& scope, std::int64_t channels);
  torch::Tensor operator()(const torch::Tensor& x) const;
};

/// Points listen to others, of their own or of another level, and add what they hear to what they know.
struct Listening {
  Linear from;
  Linear to;
  torch::Tensor edge;  // [BreakEdges::numbers, width]
  Linear heard;
  RowNorm norm;

  Listening(const ParameterScope& scope, std::int64_t from_width, std::int64_t to_width);
  torch::Tensor operator()(const torch::Tensor& speakers, const torch::Tensor& listeners,
                           const BreakEdges& edges, const Execution& execution) const;
};

/// For every point of a dense cloud, how likely the fragment is broken there. It sees the whole fragment, at
/// the object's scale and at the fragment's own, and nothing but numbers that turning does not change. It
/// knows no partner and no role.
struct BreakNetwork {
  Linear in;
  Linear in2;
  RowNorm in_norm;
  std::vector<Linear> widen;  ///< from the width of a level to that of the next
  std::vector<Listening> up;
  std::vector<Listening> within;
  std::vector<Listening> down;
  std::vector<Listening> again;  ///< within a level, after it heard from the one above
  Linear middle;
  Linear out;

  explicit BreakNetwork(const ParameterScope& scope);
  /// Logits [dense points].
  torch::Tensor operator()(const BreakInput& input, const Execution& execution) const;
};

}  // namespace pmtr
