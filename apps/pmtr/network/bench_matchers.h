// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/network/network_options.h"

namespace pmtr::command {

/// What a coarse and a fine matcher cost on a made-up pair of about so many points: multiply-adds,
/// parameters, memory and time of the matchers alone, and time of the whole network; inference, and a
/// training step. Cause::too_large where it would not fit into memory.
Result<nlohmann::json> measure_matchers(MatcherKind coarse, MatcherKind fine, int points, Threads& threads,
                                        int repeats);

/// "pmt,none:5000" is the coarse matcher, the fine one and the points.
Result<nlohmann::json> measure_matchers(const std::string& text, Threads& threads, int repeats);

/// `pmtr bench matchers`: all combinations at 5000 points, then those of the paper's Table 7 over a range,
/// each in a process of its own. Prints a table.
Result<nlohmann::json> bench_matchers(int threads, int repeats, bool quick);

}  // namespace pmtr::command
