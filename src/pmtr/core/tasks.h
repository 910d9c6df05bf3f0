// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <functional>

#include "pmtr/core/threads.h"

namespace pmtr {

/// Runs body(0) .. body(count - 1), which are independent and long. Side by side if there is one for every
/// thread, since splitting each of many small operations costs more than it gains; otherwise one after the
/// other, each with the whole team.
inline void run_tasks(Threads& threads, std::int64_t count, const std::function<void(std::int64_t)>& body) {
  if (count < threads.count()) {
    for (std::int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  threads.parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace pmtr
