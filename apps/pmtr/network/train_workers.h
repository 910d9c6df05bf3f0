// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr::command {

/// The words of this process, without `option` and its number.
std::vector<std::string> own_words_without(const std::string& option);

/// Starts this very command `count` times on this machine, as workers of one group, and waits for all of
/// them. Returns the first exit code that is not 0.
Result<int> run_workers(int count);

}  // namespace pmtr::command
