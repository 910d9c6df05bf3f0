// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/break_validation.h"

#include <mutex>
#include <vector>

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/evaluate/label_scores.h"

namespace pmtr {

ValidationScores validate_breaks(const PmtrNetwork& network, std::span<const TrainingPair> pairs,
                                 Threads& threads, const Listener& listener) {
  const BreakNetwork* breaks = network.break_network();
  PMTR_CHECK(breaks != nullptr, "the network sees no breaks");
  std::vector<LabelScore> scores(2 * pairs.size());
  std::vector<std::vector<float>> probabilities(scores.size());
  std::mutex mutex;
  std::int64_t done = 0;
  const auto fragment_at = [&](std::size_t i) -> const TrainingFragment& {
    return i % 2 == 0 ? pairs[i / 2].source : pairs[i / 2].target;
  };
  run_tasks(threads, static_cast<std::int64_t>(scores.size()), [&](std::int64_t task) {
    if (listener.stop()) return;
    const torch::NoGradGuard no_grad;  // of this thread only
    const auto i = static_cast<std::size_t>(task);
    const TrainingFragment& fragment = fragment_at(i);
    const BreakInput input = find_break_input(fragment.dense, fragment.area, 1.0, threads);
    const torch::Tensor said = torch::sigmoid((*breaks)(input, Execution{&threads})).contiguous();
    probabilities[i].assign(said.data_ptr<float>(), said.data_ptr<float>() + said.numel());
    scores[i] = score_labels(probabilities[i], fragment.dense_fracture);
    scores[i].share = fragment.share;
    const std::lock_guard lock(mutex);
    listener.advance("validate", ++done, static_cast<std::int64_t>(scores.size()));
  });
  ValidationScores result;
  if (listener.stop() || scores.empty()) return result;
  std::vector<float> all;
  std::vector<std::uint8_t> labels;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto& own = fragment_at(i).dense_fracture;
    all.insert(all.end(), probabilities[i].begin(), probabilities[i].end());
    labels.insert(labels.end(), own.begin(), own.end());
  }
  result.values = summarise_labels(scores);
  result.values["fracture_auc"] = area_under_curve(all, labels);
  result.score = result.values["overlap"];
  return result;
}

}  // namespace pmtr
