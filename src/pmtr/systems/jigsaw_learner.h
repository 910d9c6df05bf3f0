// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/systems/jigsaw_network.h"
#include "pmtr/systems/train_system.h"

namespace pmtr {

/// Jigsaw, its objects and what is held out, as a run wants them.
class JigsawLearner : public Learner {
 public:
  JigsawLearner(const System& system, const TrainOptions& options, MakeSample<JigsawSample> make, int loaders,
                std::span<const JigsawSample> held_out, Threads& threads);

  const Parameters& parameters() const override { return system_.parameters(); }
  WeightFile save() const override { return system_.save(); }
  void begin(std::int64_t first_step, int rank, int size) override { samples_.begin(first_step, rank, size); }
  Result<LearningStep> next(std::int64_t step, Threads& threads) override;
  bool validates() const override { return !held_out_.empty(); }
  ValidationScores validate() override;
  std::string samples_word() const override { return "objects"; }
  std::vector<std::string> shown_losses() const override { return {"segmentation", "matching"}; }

 private:
  const System& system_;
  std::int64_t matching_from_;  ///< update
  SampleStream<JigsawSample> samples_;
  std::span<const JigsawSample> held_out_;
  Threads& threads_;
};

/// The loss on objects and its gradient; `matching` is the weight of the matches.
LearningStep jigsaw_gradient(const System& system, std::span<const JigsawSample> objects, double matching,
                             Threads& threads);

}  // namespace pmtr
