// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <atomic>
#include <cstdint>

#include "pmtr/core/threads.h"

namespace pmtr {

/// How the layers compute, passed down through every call.
struct Execution {
  Threads* threads = nullptr;
  /// Compose everything of ATen operators instead of our kernels: for other devices and as a test oracle.
  bool composed = false;
  /// Where every layer adds the multiply-adds it does; or nobody counts. Norms, activations, softmax and what
  /// is done once per weight are not counted.
  std::atomic<std::int64_t>* multiply_adds = nullptr;

  void count(std::int64_t done) const {
    if (multiply_adds != nullptr) multiply_adds->fetch_add(done, std::memory_order_relaxed);
  }
};

}  // namespace pmtr
