// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/network/tensor.h"
#include "pmtr/train/train_options.h"

namespace pmtr {

/// Adam (Kingma and Ba, 2015). Written here and not taken from torch because its whole state has to go into
/// a checkpoint and come back bit for bit, and because one pass over memory is a tenth of the time of ten.
class Adam {
 public:
  struct State {
    std::int64_t steps = 0;
    std::vector<torch::Tensor> mean;    ///< of the gradients, one per parameter
    std::vector<torch::Tensor> square;  ///< of their squares
  };

  Adam(std::vector<torch::Tensor> parameters, const AdamOptions& options);

  /// One gradient per parameter; parameters without one (undefined) stay as they are.
  void step(std::span<const torch::Tensor> gradients, double learning_rate, Threads& threads);

  const State& state() const { return state_; }
  /// Shapes must be those of the parameters.
  void restore(State state);

 private:
  std::vector<torch::Tensor> parameters_;
  AdamOptions options_;
  State state_;
};

/// The Euclidean norm of all gradients together; undefined ones count nothing.
double gradient_norm(std::span<const torch::Tensor> gradients);

}  // namespace pmtr
