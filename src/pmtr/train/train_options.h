// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

#include "pmtr/core/result.h"
#include "pmtr/train/adam.h"
#include "pmtr/train/losses.h"
#include "pmtr/train/pair_truth.h"

namespace pmtr {

/// How the learning rate goes after the warm-up.
enum class Decay {
  constant,  ///< as the reference does
  cosine,    ///< half a cosine down to `final_rate` of the rate at the last step
};

struct TrainOptions {
  std::uint64_t seed = 0;       ///< of the weights and of the pairs
  std::int64_t steps = 50'000;  ///< updates of the weights
  int batch = 2;                ///< pairs per update

  double learning_rate = 5e-4;
  std::int64_t warm_up = 100;  ///< updates during which the rate grows from 0
  Decay decay = Decay::cosine;
  double final_rate = 0.02;
  double clip = 10.0;    ///< the gradient is shortened to this length; 0: never
  double average = 0.0;  ///< share kept by the moving average of the weights at each update; 0: none
  AdamOptions adam;
  LossOptions losses;
  /// Updates before the losses on matches begin: where a fragment is broken is learnt first, and faster
  /// alone.
  std::int64_t matching_from = 0;
  PairTruthOptions truth;

  std::int64_t log_every = 10;          ///< updates per line of the log
  std::int64_t checkpoint_every = 200;  ///< updates
  int checkpoints_kept = 3;
  std::int64_t validate_every = 1000;  ///< updates; 0: never
  int validation_pairs = 60;

  Status validate() const;
};

/// The losses of update `step`, counted from 0.
LossOptions losses_at(const TrainOptions& options, std::int64_t step);

/// The learning rate of update `step`, counted from 0.
double learning_rate_at(const TrainOptions& options, std::int64_t step);

}  // namespace pmtr
