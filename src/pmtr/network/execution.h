// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/threads.h"

namespace pmtr {

/// How the layers compute, passed down through every call.
struct Execution {
  Threads* threads = nullptr;
  /// Compose everything of ATen operators instead of our kernels: for other devices and as a test oracle.
  bool composed = false;
};

}  // namespace pmtr
