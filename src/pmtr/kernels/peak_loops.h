// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

namespace pmtr::kernels {
namespace portable {
/// Runs `rounds` rounds of independent multiply-adds; returns the number of operations of a round.
std::int64_t run_multiply_adds(std::int64_t rounds, float* out);
}  // namespace portable
namespace avx2 {
std::int64_t run_multiply_adds(std::int64_t rounds, float* out);
}  // namespace avx2
}  // namespace pmtr::kernels
