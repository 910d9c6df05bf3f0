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

namespace pmtr {

/// The network that a piece of work is done with.
struct ChosenWeights {
  FragmentEncoder encoder;
  std::string name;  ///< the file's, for results; "untrained" without one
  bool trained = false;
};

/// Reads the weights that were given, or else those that come with the program; where these are missing too,
/// that is an error: poses of an untrained network mean nothing. Who wants one says "none", and is warned.
Result<ChosenWeights> choose_weights(const std::optional<std::filesystem::path>& file,
                                     const std::optional<std::filesystem::path>& bundled, std::uint64_t seed,
                                     const Listener& listener);

}  // namespace pmtr
