// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <optional>
#include <thread>

namespace pmtr::command {

inline int all_cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

/// What --threads says, or all cores.
inline int thread_count(const std::optional<int>& asked) { return asked.value_or(all_cores()); }

}  // namespace pmtr::command
