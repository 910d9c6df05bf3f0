// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

// torch::Tensor alone, for headers: <torch/types.h> declares every operator and costs three times as much to
// compile. Sources that call operators (torch::cat) include <torch/types.h> themselves.
#include <ATen/core/Tensor.h>

namespace torch {
using at::Tensor;
}
