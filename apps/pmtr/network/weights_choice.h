// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/network/choose_weights.h"

namespace pmtr::command {

/// The weights that come with the program: beside the build, or where they were installed.
std::optional<std::filesystem::path> bundled_weights();

/// Reads the weights that were given, or those that come with the program.
Result<ChosenWeights> choose_weights(const std::optional<std::filesystem::path>& file, std::uint64_t seed,
                                     const Listener& listener);

/// What tells these weights from others: a digest of their file, or of the seed where they are untrained.
Result<std::string> weights_digest(const std::optional<std::filesystem::path>& file, std::uint64_t seed);

}  // namespace pmtr::command
