// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/jigsaw_learner.h"

#include <cmath>

#include <torch/types.h>

#include "pmtr/network/tensor_view.h"

namespace pmtr {
namespace {

/// Matches are learnt from the ninth of 250 epochs on.
constexpr double share_without_matching = 9.0 / 250.0;

}  // namespace

JigsawLearner::JigsawLearner(const System& system, const TrainOptions& options, MakeSample<JigsawSample> make,
                             int loaders, std::span<const JigsawSample> held_out, Threads& threads)
    : system_(system),
      matching_from_(static_cast<std::int64_t>(share_without_matching * static_cast<double>(options.steps))),
      samples_(std::move(make), options.batch, loaders),
      held_out_(held_out),
      threads_(threads) {}

LearningStep jigsaw_gradient(const System& system, std::span<const JigsawSample> objects, double matching,
                             Threads& threads) {
  const SystemPass pass{Execution{&threads}, /*training=*/true, nullptr};
  return learning_step(system.jigsaw().loss(objects, matching, pass), system.parameters());
}

Result<LearningStep> JigsawLearner::next(std::int64_t step, Threads& threads) {
  PMTR_TRY(const std::vector<JigsawSample> batch, samples_.next());
  for (const JigsawSample& object : batch) {
    if (const Status fits = system_.accepts(static_cast<std::int64_t>(object.sizes.size())); !fits.ok())
      return error_at(object.object, fits.error().cause, fits.error().message);
  }
  return jigsaw_gradient(system_, batch, step < matching_from_ ? 0.0 : 1.0, threads);
}

ValidationScores JigsawLearner::validate() {
  const torch::NoGradGuard no_grad;
  const SystemPass pass{Execution{&threads_}};
  double loss = 0.0;
  std::int64_t right = 0, said = 0, broken = 0;
  for (const JigsawSample& object : held_out_) {
    const SystemLoss own = system_.jigsaw().loss({&object, 1}, 1.0, pass);
    loss += own.total.item<double>() / static_cast<double>(held_out_.size());
    const torch::Tensor logits = system_.jigsaw()
                                     .segment(system_.jigsaw().encode(stack_jigsaw({&object, 1}), pass), pass)
                                     .contiguous();
    for (std::size_t i = 0; i < object.broken.size(); ++i) {
      const bool found = view(logits)[i] > 0.0F;
      said += found ? 1 : 0;
      broken += object.broken[i];
      right += found && object.broken[i] != 0 ? 1 : 0;
    }
  }
  ValidationScores scores;
  scores.values = {
      {"loss", loss},
      {"break_f1",
       said + broken > 0 ? 2.0 * static_cast<double>(right) / static_cast<double>(said + broken) : 0.0}};
  // A loss that is not a number is never the best.
  scores.score = std::isfinite(loss) ? 1.0 / (1.0 + loss) : 0.0;
  return scores;
}

}  // namespace pmtr
