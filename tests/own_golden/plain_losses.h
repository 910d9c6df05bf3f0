// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <torch/types.h>

#include "pmtr/train/batch_gradient.h"

namespace pmtr::test {

// The losses on matches as their definitions read, of ATen operators, in any precision. They share no code
// with train/ and kernels/.

torch::Tensor plain_coarse_loss(const torch::Tensor& source, const torch::Tensor& target,
                                const PairTruth& truth, const kernels::CircleLossOptions& options);

torch::Tensor plain_contrast_loss(const torch::Tensor& source, const torch::Tensor& target,
                                  const PairTruth& truth);

torch::Tensor plain_fine_loss(const torch::Tensor& source, const torch::Tensor& target,
                              const torch::Tensor& dustbin, const PairTruth& truth,
                              const LossOptions& options);

/// The fracture head without context, from its weights by name.
torch::Tensor plain_fracture_logits(const PmtrNetwork& network, const NetworkOutput& output,
                                    const PyramidBatch& batch, const DenseSite& dense);

}  // namespace pmtr::test
