// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/trainer.h"

#include <utility>

#include <torch/types.h>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

class NetworkLearner : public Learner {
 public:
  NetworkLearner(PmtrNetwork& network, const TrainingRun& run)
      : network_(network), run_(run), samples_(run.sample, run.options.batch, run.loaders) {}

  const Parameters& parameters() const override { return network_.parameters(); }
  WeightFile save() const override { return network_.save(); }

  void begin(std::int64_t first_step, int rank, int size) override { samples_.begin(first_step, rank, size); }

  Result<LearningStep> next(std::int64_t step, Threads& threads) override {
    PMTR_TRY(const std::vector<PairSample> batch, samples_.next());
    BatchGradient gradient = batch_gradient(network_, batch, losses_at(run_.options.losses, step), threads);
    const LossValues& l = gradient.losses;
    LearningStep result{std::move(gradient.gradients),
                        {{"loss", l.total},
                         {"coarse", l.coarse},
                         {"fine", l.fine},
                         {"orthonormal", l.orthonormal},
                         {"zero", l.zero}}};
    if (network_.options().break_cloud) result.losses["points"] = l.points;
    if (network_.options().sees_breaks()) result.losses["fracture"] = l.fracture;
    return result;
  }

  bool validates() const override { return run_.validate != nullptr; }
  ValidationScores validate() override { return run_.validate(network_); }

  std::string samples_word() const override { return "pairs"; }
  std::vector<std::string> shown_losses() const override { return {"coarse", "fine", "fracture", "points"}; }

 private:
  PmtrNetwork& network_;
  const TrainingRun& run_;
  SampleStream<PairSample> samples_;
};

LossValues losses_of(const std::map<std::string, double>& values) {
  const auto at = [&](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? 0.0 : found->second;
  };
  LossValues losses;
  losses.coarse = at("coarse");
  losses.fine = at("fine");
  losses.points = at("points");
  losses.orthonormal = at("orthonormal");
  losses.zero = at("zero");
  losses.fracture = at("fracture");
  losses.total = at("loss");
  return losses;
}

}  // namespace

Result<TrainingSummary> train(PmtrNetwork& network, const TrainingRun& run, WorkerGroup& group,
                              Threads& threads, const Listener& listener) {
  PMTR_TRY_STATUS(run.options.validate());
  NetworkLearner learner(network, run);
  PMTR_TRY(RunSummary summary, run_learner(learner, run, group, threads, listener));
  TrainingSummary result;
  result.losses = losses_of(summary.values);
  static_cast<RunSummary&>(result) = std::move(summary);
  return result;
}

}  // namespace pmtr
