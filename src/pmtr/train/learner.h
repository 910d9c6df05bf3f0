// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/network/parameters.h"
#include "pmtr/network/tensor.h"
#include "pmtr/train/validation_scores.h"
#include "pmtr/weights/weight_file.h"

namespace pmtr {

/// The loss of one update and its gradient.
struct LearningStep {
  std::vector<torch::Tensor> gradients;  ///< one per learnt parameter; undefined where nothing depends on it
  /// For the log: "loss" is what is minimised, the others are parts of it. The same names at every update.
  std::map<std::string, double> losses;
};

/// What a run teaches. The run owns everything else: the optimiser, checkpoints, the log, the other workers.
class Learner {
 public:
  virtual ~Learner() = default;

  /// What Adam changes, and buffers, which the learner changes itself: checkpoints hold both.
  virtual const Parameters& parameters() const = 0;
  virtual WeightFile save() const = 0;

  /// Called once: `first_step` updates were done before, this is worker `rank` of `size`.
  virtual void begin(std::int64_t first_step, int rank, int size) = 0;
  /// The samples of update `step`, their mean loss and its gradient. Steps come one after the other. All
  /// randomness must come from the step, so that a run that goes on is the run that was never cut off.
  virtual Result<LearningStep> next(std::int64_t step, Threads& threads) = 0;

  virtual bool validates() const = 0;
  virtual ValidationScores validate() = 0;

  virtual std::string samples_word() const = 0;  ///< "pairs", for speeds
  /// Which losses a person sees while it runs, in this order; those that a step does not have are left out.
  virtual std::vector<std::string> shown_losses() const = 0;
};

}  // namespace pmtr
