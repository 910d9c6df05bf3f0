// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include "pmtr/network/layers.h"
#include "pmtr/network/matcher.h"

namespace pmtr {

/// High-dimensional convolution (HDC) as a matcher. The correlation of all points of one fragment with all of
/// the other is a function on pairs of places; a convolution of it asks whether the neighbours of two points
/// correlate too. As in the hypercorrelation squeeze network (Min et al. 2021) the kernel is centre-pivot:
/// one of the two points stays while the other's neighbours are looked at, and both are added. On a lattice a
/// kernel has a weight per cell; points have neighbours, so it has one per distance (three shells, linear in
/// between), which turning a fragment does not change. It is the same on both sides: swapped sides give
/// swapped results.
///
/// The interface wants features, so the convolved correlation says how much of which point of the other side
/// each point reads; a linear layer joins that with the point's own features.
class CorrelationConvolution : public PairMatcher {
 public:
  static constexpr std::int64_t shells = 3;
  static constexpr std::int64_t channels = 16;
  static constexpr std::int64_t groups = 4;  ///< of the norms

  /// Neighbours farther than `reach` are not looked at.
  CorrelationConvolution(const ParameterScope& scope, std::int64_t width, double reach);

  std::array<torch::Tensor, 2> transform(const MatchSide& source, const MatchSide& target,
                                         const Execution& execution) const override;
  double memory(std::int64_t source, std::int64_t target, bool training) const override;

 private:
  struct Layer {
    Linear kernel;  ///< [shells channels in] -> channels
    GroupNorm norm;
  };

  double reach_;
  std::vector<Layer> layers_;
  Linear score_;
  torch::Tensor scale_;  ///< of the correlation itself, where points are read
  Linear join_;
};

}  // namespace pmtr
