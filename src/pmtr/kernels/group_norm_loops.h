// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

namespace pmtr::kernels {

/// All loops run over rows [begin, end) of [rows, channels].
template <class Real>
struct GroupNormLoops {
  /// Per channel: a centre near the mean of these rows, and the sums of (x - centre) and its square.
  void (*moments)(const Real* x, std::int64_t channels, std::int64_t begin, std::int64_t end, Real* centre,
                  Real* sum, Real* squares);
  /// out = activation((x - mean) * scale + beta + shortcut), all per channel.
  void (*apply)(const Real* x, const Real* shortcut, std::int64_t channels, std::int64_t begin,
                std::int64_t end, const Real* mean, const Real* scale, const Real* beta, Real slope,
                Real* out);
  /// d = d_out through the activation. sum[c] = sum of d, product[c] = sum of d * (x - mean). Stores d if
  /// wanted.
  void (*gradient_sums)(const Real* x, const Real* out, const Real* d_out, std::int64_t channels,
                        std::int64_t begin, std::int64_t end, const Real* mean, Real slope, Real* sum,
                        Real* product, Real* d);
  /// d_x = d * scale - (x - mean) * tilt - shift, all per channel.
  void (*gradient_apply)(const Real* x, const Real* out, const Real* d_out, std::int64_t channels,
                         std::int64_t begin, std::int64_t end, const Real* mean, const Real* scale,
                         const Real* tilt, const Real* shift, Real slope, Real* d_x);
};

namespace portable {
template <class Real>
const GroupNormLoops<Real>& group_norm_loops();
}
namespace avx2 {
template <class Real>
const GroupNormLoops<Real>& group_norm_loops();
}

}  // namespace pmtr::kernels
