// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <torch/types.h>

#include "pmtr/match/fragment_features.h"

namespace pmtr {

/// The values of a tensor [rows, columns], without torch.
inline FeatureMatrix to_matrix(const torch::Tensor& tensor) {
  const torch::Tensor host = tensor.detach().to(torch::kCPU, torch::kFloat).contiguous();
  const float* begin = host.data_ptr<float>();
  return {host.size(0), host.size(1), {begin, begin + host.numel()}};
}

}  // namespace pmtr
