// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/gather_loops.h"
#include "pmtr/kernels/simd.h"

namespace pmtr::kernels::PMTR_ISA {

// Channels [from, to) one by one.
template <class Real>
void max_pool_plain(const std::int32_t* neighbours, std::int64_t width, std::int64_t supports,
                    const Real* features, std::int64_t channels, std::int64_t from, Real* out,
                    std::int32_t* winner) {
  for (std::int64_t c = from; c < channels; ++c) {
    Real best = 0;
    std::int32_t best_row = -1;
    for (std::int64_t slot = 0; slot < width; ++slot) {
      const std::int32_t j = neighbours[slot];
      const bool none = j < 0 || j >= supports;
      const Real value = none ? Real(0) : features[j * channels + c];
      if (slot == 0 || value > best) {
        best = value;
        best_row = none ? -1 : j;
      }
    }
    out[c] = best;
    if (winner != nullptr) winner[c] = best_row;
  }
}

// 4 vectors of channels at a time: values and, if wanted, the rows they came from.
template <bool kWinner>
inline std::int64_t max_pool_vectors(const std::int32_t* neighbours, std::int64_t width,
                                     std::int64_t supports, const float* features, std::int64_t channels,
                                     float* out, std::int32_t* winner) {
  constexpr int vectors = 4;
  static constexpr float zeros[vectors * lanes<float>] = {};
  std::int64_t c = 0;
  for (; c + vectors * lanes<float> <= channels; c += vectors * lanes<float>) {
    Vec<float> best[vectors];
    Mask best_row[vectors];
    for (std::int64_t slot = 0; slot < width; ++slot) {
      const std::int32_t j = neighbours[slot];
      const bool none = j < 0 || j >= supports;
      const float* row = none ? zeros : features + j * channels + c;
      const Mask here = (none ? -1 : j) - Mask{};
      PMTR_UNROLL
      for (int v = 0; v < vectors; ++v) {
        const Vec<float> value = load(row + v * lanes<float>);
        if (slot == 0) {
          best[v] = value;
          best_row[v] = here;
        } else {
          const Mask take = value > best[v];
          best[v] = take ? value : best[v];
          if (kWinner) best_row[v] = take ? here : best_row[v];
        }
      }
    }
    PMTR_UNROLL
    for (int v = 0; v < vectors; ++v) {
      store<float>(out + c + v * lanes<float>, best[v]);
      if (kWinner) store(winner + c + v * lanes<float>, best_row[v]);
    }
  }
  return c;
}

template <class Real>
void max_pool(const std::int32_t* neighbours, std::int64_t width, std::int64_t supports, const Real* features,
              std::int64_t channels, std::int64_t begin, std::int64_t end, Real* out, std::int32_t* winner) {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int32_t* row = neighbours + i * width;
    std::int32_t* row_winner = winner != nullptr ? winner + i * channels : nullptr;
    std::int64_t done = 0;
    if constexpr (sizeof(Real) == sizeof(float)) {
      if (width > 0) {
        done = winner != nullptr ? max_pool_vectors<true>(row, width, supports, features, channels,
                                                          out + i * channels, row_winner)
                                 : max_pool_vectors<false>(row, width, supports, features, channels,
                                                           out + i * channels, row_winner);
      }
    }
    max_pool_plain(row, width, supports, features, channels, done, out + i * channels, row_winner);
  }
}

template <class Real>
const GatherLoops<Real>& gather_loops() {
  static constexpr GatherLoops<Real> loops = {max_pool<Real>};
  return loops;
}

template const GatherLoops<float>& gather_loops<float>();
template const GatherLoops<double>& gather_loops<double>();

}  // namespace pmtr::kernels::PMTR_ISA
