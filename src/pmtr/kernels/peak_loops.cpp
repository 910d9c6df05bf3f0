// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/peak_loops.h"
#include "pmtr/kernels/simd.h"

namespace pmtr::kernels::PMTR_ISA {

std::int64_t run_multiply_adds(std::int64_t rounds, float* out) {
  constexpr int chains = 12;  // more than latency x units on any current core, and they fit the registers
  Vec<float> sum[chains];
  PMTR_UNROLL
  for (int i = 0; i < chains; ++i) sum[i] = splat(static_cast<float>(i));
  const Vec<float> factor = splat(out[0]);
  const Vec<float> addend = splat(out[1]);
  for (std::int64_t round = 0; round < rounds; ++round) {
    PMTR_UNROLL
    for (int i = 0; i < chains; ++i) sum[i] = sum[i] * factor + addend;
  }
  Vec<float> total = {};
  PMTR_UNROLL
  for (int i = 0; i < chains; ++i) total += sum[i];
  store(out + 2, total);
  return std::int64_t{2} * chains * lanes<float>;
}

}  // namespace pmtr::kernels::PMTR_ISA
