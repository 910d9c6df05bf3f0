// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/network/fragment_encoder.h"

namespace pmtr::command {

/// The network that a command works with.
struct ChosenWeights {
  FragmentEncoder encoder;
  std::string name;  ///< the file's, for results; "untrained" without one
  bool trained = false;
};

/// The weights that come with the program: beside the build, or where they were installed.
std::optional<std::filesystem::path> bundled_weights();

/// Reads the weights that were given, or those that come with the program. With "none" the network is
/// untrained, and the listener is warned.
Result<ChosenWeights> choose_weights(const std::optional<std::filesystem::path>& file, std::uint64_t seed,
                                     const Listener& listener);

}  // namespace pmtr::command
