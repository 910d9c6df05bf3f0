// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

namespace pmtr::kernels {

template <class Real>
struct GatherLoops {
  void (*max_pool)(const std::int32_t* neighbours, std::int64_t width, std::int64_t supports,
                   const Real* features, std::int64_t channels, std::int64_t begin, std::int64_t end,
                   Real* out, std::int32_t* winner);
};

namespace portable {
template <class Real>
const GatherLoops<Real>& gather_loops();
}
namespace avx2 {
template <class Real>
const GatherLoops<Real>& gather_loops();
}

}  // namespace pmtr::kernels
