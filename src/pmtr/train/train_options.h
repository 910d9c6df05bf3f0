// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

#include "pmtr/core/result.h"
#include "pmtr/train/loss_options.h"
#include "pmtr/train/pair_truth.h"

namespace pmtr {

/// How the learning rate goes after the warm-up (learning-rate schedule).
enum class Decay {
  constant,  ///< as the reference does
  cosine,    ///< half a cosine down to `final_rate` of the rate at the last step
};

/// Of the optimiser (train/adam.h). Validated by TrainOptions.
struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.0;  ///< this share of each weight is added to its gradient (L2)
};

/// The updates of a run. The defaults are the best we know (configs/default.toml has the reasons). A member
/// that a configuration should know is also a line in config_fields.h.
struct TrainOptions {
  /// Threads that prepare pairs on the side, where nothing else is said. Not part of a configuration: the
  /// weights do not depend on it.
  static constexpr int usual_loaders = 1;

  std::uint64_t seed = 0;       ///< of the weights and of the pairs
  std::int64_t steps = 50'000;  ///< updates of the weights
  int batch = 2;                ///< pairs per update

  double learning_rate = 1e-3;
  std::int64_t warm_up = 100;  ///< updates during which the rate grows from 0
  Decay decay = Decay::cosine;
  double final_rate = 0.02;
  double clip = 10.0;     ///< the gradient is shortened to this length; 0: never
  double average = 0.99;  ///< share kept by the moving average of the weights at each update; 0: none
  AdamOptions adam;
  LossOptions losses;
  PairTruthOptions truth;

  std::int64_t log_every = 10;          ///< updates per line of the log
  std::int64_t checkpoint_every = 200;  ///< updates
  int checkpoints_kept = 3;
  std::int64_t validate_every = 1000;  ///< updates; 0: never
  int validation_pairs = 60;

  /// How the authors' released code was trained.
  static TrainOptions reference();

  Status validate() const;
};

/// The learning-rate schedule: the rate of update `step`, counted from 0.
double learning_rate_at(const TrainOptions& options, std::int64_t step);

}  // namespace pmtr
