// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/peak.h"

#include <algorithm>
#include <chrono>

#include "pmtr/kernels/isa.h"
#include "pmtr/kernels/peak_loops.h"

namespace pmtr::kernels {

double measure_fma_peak(Threads& threads) {
  using Clock = std::chrono::steady_clock;
  constexpr std::int64_t rounds = 5000;
  const std::int64_t chunks = 32 * threads.count();
  double best = 0;
  for (int run = 0; run < 20; ++run) {
    const Clock::time_point start = Clock::now();
    threads.parallel_for(chunks, 1, [&](std::int64_t, std::int64_t) {
      float out[2 + 16] = {0.5f, 1.0f};
      PMTR_PICK(run_multiply_adds(rounds, out));
    });
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const double operations = static_cast<double>(chunks * rounds) * 2 * 12 * (use_avx2() ? 8 : 4);
    best = std::max(best, operations / seconds * 1e-9);
  }
  return best;
}

}  // namespace pmtr::kernels
