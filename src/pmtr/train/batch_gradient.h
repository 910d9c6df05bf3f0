// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/network/pmtr_network.h"
#include "pmtr/network/tensor.h"
#include "pmtr/train/losses.h"

namespace pmtr {

/// A fragment as training sees it.
struct FragmentSample {
  FragmentInput input;
  MatchInput match;             ///< of a network on breaks
  std::vector<float> fracture;  ///< per dense point: 1 on a fracture surface, 0 elsewhere; may be empty
};

/// A pair as training sees it.
struct PairSample {
  FragmentSample source;
  FragmentSample target;
  PairTruth truth;
};

/// Means over a batch, each before its weight is applied; `total` is their weighted sum.
struct LossValues {
  double coarse = 0.0;
  double fine = 0.0;
  double points = 0.0;
  double orthonormal = 0.0;
  double zero = 0.0;
  double fracture = 0.0;
  double total = 0.0;
};

struct BatchGradient {
  std::vector<torch::Tensor> gradients;  ///< one per learnt parameter; undefined where nothing depends on it
  LossValues losses;
};

/// Mean loss over the pairs and its gradient. One pair per thread where there are enough pairs; the two
/// fragments of a pair side by side where that fills the team. Gradients are summed in the order of the
/// pairs: the same bits with any number of threads.
BatchGradient batch_gradient(const PmtrNetwork& network, std::span<const PairSample> pairs,
                             const LossOptions& options, Threads& threads);

}  // namespace pmtr
