// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "weights_choice.h"

#include <fmt/format.h>

namespace pmtr::command {

std::optional<std::filesystem::path> bundled_weights() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  for (const char* folder : {"../share/pmtr/models", PMTR_MODELS_FROM_LIBEXEC}) {
    const auto candidate = (self.parent_path() / folder / PMTR_DEFAULT_WEIGHTS).lexically_normal();
    if (std::filesystem::exists(candidate, error)) return candidate;
  }
  return std::nullopt;
}

Result<ChosenWeights> choose_weights(const std::optional<std::filesystem::path>& file, std::uint64_t seed,
                                     const Listener& listener) {
  const std::optional<std::filesystem::path> chosen = file ? file : bundled_weights();
  if (!chosen || *chosen == "none") {
    if (!chosen)
      listener.warn(fmt::format("the weights {} are missing from this installation", PMTR_DEFAULT_WEIGHTS));
    listener.warn("no trained weights: the network is untrained, the pose means nothing");
    PMTR_TRY(FragmentEncoder encoder, FragmentEncoder::untrained(NetworkOptions::plain(), seed));
    return ChosenWeights{std::move(encoder), "untrained", false};
  }
  PMTR_TRY(WeightFile weights, read_weights(*chosen));
  strip_common_prefix(weights);
  PMTR_TRY(FragmentEncoder encoder, FragmentEncoder::load(weights, chosen->string()));
  return ChosenWeights{std::move(encoder), chosen->filename().string(), true};
}

}  // namespace pmtr::command
