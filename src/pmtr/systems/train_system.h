// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <string>

#include "pmtr/systems/object_sample.h"
#include "pmtr/systems/system.h"
#include "pmtr/train/sample_stream.h"
#include "pmtr/train/train_job.h"
#include "pmtr/train/training_run.h"

namespace pmtr {

/// A configuration for a system, as its authors trained it where that is known and fits: [train] and [data]
/// count, but for what [data] says of pairs; [network] and [losses] are those of pmtr's own network, and of
/// SystemKind::network.
TrainConfig system_config(const SystemInfo& info);

/// The gradient of a loss, as a run wants it.
LearningStep learning_step(const SystemLoss& loss, const Parameters& parameters);

/// A system that finds poses by regression, its objects and what is held out, as a run wants them.
class SystemLearner : public Learner {
 public:
  SystemLearner(const System& system, const TrainOptions& options, MakeSample<ObjectSample> make, int loaders,
                std::span<const ObjectSample> held_out, Threads& threads);

  const Parameters& parameters() const override { return system_.parameters(); }
  WeightFile save() const override { return system_.save(); }
  void begin(std::int64_t first_step, int rank, int size) override;
  Result<LearningStep> next(std::int64_t step, Threads& threads) override;
  bool validates() const override { return !held_out_.empty(); }
  ValidationScores validate() override;
  std::string samples_word() const override { return "objects"; }
  std::vector<std::string> shown_losses() const override;

 private:
  const System& system_;
  std::uint64_t seed_;
  int rank_ = 0;
  SampleStream<ObjectSample> samples_;
  std::span<const ObjectSample> held_out_;
  Threads& threads_;
};

/// The loss on objects and its gradient.
LearningStep system_gradient(const System& system, std::span<const ObjectSample> objects, Random random,
                             Threads& threads);

/// run_training for a system. Of the job, `memory` has a meaning for SystemKind::network alone.
Result<TrainJobResult> run_system_training(const SystemInfo& info, const TrainJob& job, WorkerGroup& group,
                                           Threads& threads, const Listener& listener);

}  // namespace pmtr
