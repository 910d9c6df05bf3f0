// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/choose_weights.h"

namespace pmtr {

Result<ChosenWeights> choose_weights(const std::optional<std::filesystem::path>& file,
                                     const std::optional<std::filesystem::path>& bundled, std::uint64_t seed,
                                     const Listener& listener) {
  const std::optional<std::filesystem::path> chosen = file ? file : bundled;
  if (!chosen)
    return Error{Cause::unreadable,
                 "the weights that come with pmtr are missing from this installation; name a file of weights "
                 "(--weights FILE), or 'none' for an untrained network",
                 {}};
  if (*chosen == "none") {
    listener.warn("no trained weights: the network is untrained, the pose means nothing");
    PMTR_TRY(FragmentEncoder encoder, FragmentEncoder::untrained(NetworkOptions::plain(), seed));
    return ChosenWeights{std::move(encoder), "untrained", false};
  }
  PMTR_TRY(WeightFile weights, read_weights(*chosen));
  strip_common_prefix(weights);
  PMTR_TRY(FragmentEncoder encoder, FragmentEncoder::load(weights, chosen->string()));
  return ChosenWeights{std::move(encoder), chosen->filename().string(), true};
}

}  // namespace pmtr
