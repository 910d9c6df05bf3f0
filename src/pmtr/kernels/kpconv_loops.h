// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

namespace pmtr::kernels {

/// What the loops over queries read.
template <class Real>
struct KpconvTables {
  std::int64_t supports;
  std::int64_t width;
  std::int64_t kernel_points;
  std::int64_t channels;
  const Real* query_positions;
  const Real* support_positions;
  const std::int32_t* neighbours;
  const Real* features;
  const std::uint8_t* counted;  // per support: 1 if it counts in the divisor
  const Real* kernel;           // [3][stride]: x, y, z of the kernel points, far away beyond the last
  std::int64_t stride;          // kernel points rounded up, see influence_stride()
  Real sigma;
};

template <class Real>
struct KpconvLoops {
  std::int64_t (*influence_stride)(std::int64_t kernel_points);

  /// counted[j] = the sum of the features of support j is positive, for j in [begin, end).
  void (*count)(const Real* features, std::int64_t channels, std::int64_t begin, std::int64_t end,
                std::uint8_t* counted);
  /// aggregate[(i - begin), p, c] for queries [begin, end).
  void (*aggregate)(const KpconvTables<Real>& tables, std::int64_t begin, std::int64_t end, Real* scratch,
                    std::int64_t* rows, Real* aggregate);
  /// d_features[j, c] += sum over queries [begin, end) of what `aggregate` does, transposed.
  void (*scatter)(const KpconvTables<Real>& tables, std::int64_t begin, std::int64_t end,
                  const Real* d_aggregate, Real* scratch, std::int64_t* rows, Real* d_features);
};

namespace portable {
template <class Real>
const KpconvLoops<Real>& kpconv_loops();
}
namespace avx2 {
template <class Real>
const KpconvLoops<Real>& kpconv_loops();
}

}  // namespace pmtr::kernels
