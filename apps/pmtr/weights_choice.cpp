// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "weights_choice.h"

namespace pmtr::command {

Result<ChosenWeights> choose_weights(const std::optional<std::filesystem::path>& file, std::uint64_t seed,
                                     const Listener& listener) {
  if (!file) {
    listener.warn("no trained weights given (--weights): the network is untrained, the pose means nothing");
    PMTR_TRY(FragmentEncoder encoder, FragmentEncoder::untrained(NetworkOptions{}, seed));
    return ChosenWeights{std::move(encoder), "untrained", false};
  }
  PMTR_TRY(WeightFile weights, read_weights(*file));
  strip_common_prefix(weights);
  PMTR_TRY(FragmentEncoder encoder, FragmentEncoder::load(weights, file->string()));
  return ChosenWeights{std::move(encoder), file->filename().string(), true};
}

}  // namespace pmtr::command
