// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>

#include "pmtr/network/choose_weights.h"
#include "pmtr/train/config.h"

// GeoTransformer is pmtr's own network with another matcher and other losses: training, weights and pipeline
// are those of the network.
namespace pmtr {

/// As configs/geotransformer.toml, for objects of all numbers of parts.
TrainConfig geotransformer_config();

/// Cause::mismatch for a network with another coarse matcher; `place` is named.
Status check_geotransformer(const NetworkOptions& options, const std::string& place);

/// With the weights of a file, or untrained with "none".
Result<ChosenWeights> choose_geotransformer(const std::filesystem::path& weights, std::uint64_t seed,
                                            const Listener& listener);

}  // namespace pmtr
