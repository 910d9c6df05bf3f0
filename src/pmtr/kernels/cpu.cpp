// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/cpu.h"

#include <atomic>

namespace pmtr::kernels {
namespace {

std::atomic<bool> portable_forced{false};

bool cpu_has_avx2() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
#else
  return false;
#endif
}

}  // namespace

bool use_avx2() { return cpu_has_avx2() && !portable_forced.load(std::memory_order_relaxed); }

void force_portable(bool on) { portable_forced.store(on, std::memory_order_relaxed); }

}  // namespace pmtr::kernels
