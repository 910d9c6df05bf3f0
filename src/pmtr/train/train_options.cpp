// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/train_options.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace pmtr {

TrainOptions TrainOptions::reference() {
  TrainOptions options;
  options.steps = 2'537'850;
  options.batch = 1;
  options.warm_up = 0;
  options.decay = Decay::constant;
  options.clip = 0.0;
  options.average = 0.0;
  options.losses = LossOptions::reference();
  return options;
}

Status TrainOptions::validate() const {
  const auto wrong = [](std::string message) { return Error{Cause::invalid_option, std::move(message), {}}; };
  if (steps < 1) return wrong(fmt::format("steps is {}: must be at least 1", steps));
  if (batch < 1 || batch > 4096) return wrong(fmt::format("batch is {}: must be 1 to 4096", batch));
  if (!(learning_rate > 0.0 && learning_rate < 1.0))
    return wrong(fmt::format("learning_rate is {}: must be between 0 and 1", learning_rate));
  if (warm_up < 0) return wrong(fmt::format("warm_up is {}: must not be negative", warm_up));
  if (!(final_rate >= 0.0 && final_rate <= 1.0))
    return wrong(fmt::format("final_rate is {}: must be 0 to 1", final_rate));
  if (!(clip >= 0.0)) return wrong(fmt::format("clip is {}: must not be negative", clip));
  if (!(average >= 0.0 && average < 1.0))
    return wrong(fmt::format("average is {}: must be 0 to below 1", average));
  if (log_every < 1 || checkpoint_every < 1 || checkpoints_kept < 1 || validate_every < 0 ||
      validation_pairs < 1)
    return wrong("log_every, checkpoint_every, checkpoints_kept and validation_pairs must be at least 1");
  for (const double beta : {adam.beta1, adam.beta2}) {
    if (!(beta >= 0.0 && beta < 1.0))
      return wrong(fmt::format("beta of Adam is {}: must be 0 to below 1", beta));
  }
  if (!(adam.epsilon > 0.0))
    return wrong(fmt::format("epsilon of Adam is {}: must be above 0", adam.epsilon));
  if (!(adam.weight_decay >= 0.0 && adam.weight_decay < 1.0))
    return wrong(fmt::format("weight_decay of Adam is {}: must be 0 to below 1", adam.weight_decay));
  PMTR_TRY_STATUS(losses.validate());
  return truth.validate();
}

double learning_rate_at(const TrainOptions& options, std::int64_t step) {
  if (step < options.warm_up)
    return options.learning_rate * static_cast<double>(step + 1) / static_cast<double>(options.warm_up);
  if (options.decay == Decay::constant) return options.learning_rate;
  const auto rest = static_cast<double>(std::max<std::int64_t>(1, options.steps - options.warm_up));
  const double done = std::min(1.0, static_cast<double>(step - options.warm_up) / rest);
  const double share = 0.5 * (1.0 + std::cos(std::numbers::pi * done));
  return options.learning_rate * (options.final_rate + (1.0 - options.final_rate) * share);
}

}  // namespace pmtr
