// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/result.h"

namespace pmtr::command {

/// Starts this very command `count` times on this machine, as workers of one group, and waits for all of
/// them. Returns the first exit code that is not 0.
Result<int> run_workers(int count);

}  // namespace pmtr::command
