// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "weights_choice.h"

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/project/kept_file.h"

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
  return pmtr::choose_weights(file, bundled_weights(), seed, listener);
}

Result<std::string> weights_digest(const std::optional<std::filesystem::path>& file, std::uint64_t seed) {
  const auto chosen = file ? file : bundled_weights();
  if (!chosen || *chosen == "none") return fmt::format("untrained {}", seed);
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(*chosen));
  return digest_of(bytes);
}

}  // namespace pmtr::command
