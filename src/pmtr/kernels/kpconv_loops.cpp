// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/kpconv_loops.h"
#include "pmtr/kernels/simd.h"

namespace pmtr::kernels::PMTR_ISA {

// 15 kernel points are three groups of 5; 5 x 2 vectors of sums leave registers for a row and a weight.
constexpr int group = 5;
constexpr int rows_at_once = 6;

inline std::int64_t round_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

template <class Real>
std::int64_t influence_stride(std::int64_t kernel_points) {
  return round_up(round_up(kernel_points, group), lanes<Real>);
}

template <class Real>
void count_positive(const Real* features, std::int64_t channels, std::int64_t begin, std::int64_t end,
                    std::uint8_t* counted) {
  for (std::int64_t j = begin; j < end; ++j) {
    const Real* row = features + j * channels;
    Vec<Real> sums = {};
    std::int64_t c = 0;
    for (; c + lanes<Real> <= channels; c += lanes<Real>) sums += load(row + c);
    Real sum = 0;
    for (; c < channels; ++c) sum += row[c];
    for (int i = 0; i < lanes<Real>; ++i) sum += sums[i];
    counted[j] = sum > 0 ? 1 : 0;
  }
}

// The real neighbours of query i into rows[], their influences (divided by the count) into
// influence[slot * stride + p]; returns how many.
template <class Real>
std::int64_t find_influences(const KpconvTables<Real>& t, std::int64_t i, Real* influence,
                             std::int64_t* rows) {
  const std::int32_t* neighbours = t.neighbours + i * t.width;
  std::int64_t found = 0;
  std::int64_t counted = 0;
  for (std::int64_t slot = 0; slot < t.width; ++slot) {
    const std::int64_t j = neighbours[slot];
    if (j < 0 || j >= t.supports) continue;
    rows[found++] = j;
    counted += t.counted[j];
  }
  const Real share = Real(1) / static_cast<Real>(counted > 1 ? counted : 1);
  const Vec<Real> at_zero = splat(share);
  const Vec<Real> slope = splat(share / t.sigma);
  const Real* query = t.query_positions + i * 3;
  const Real qx = query[0], qy = query[1], qz = query[2];
  for (std::int64_t slot = 0; slot < found; ++slot) {
    const Real* support = t.support_positions + rows[slot] * 3;
    const Vec<Real> x = splat(support[0] - qx);
    const Vec<Real> y = splat(support[1] - qy);
    const Vec<Real> z = splat(support[2] - qz);
    for (std::int64_t p = 0; p < t.stride; p += lanes<Real>) {
      const Vec<Real> dx = x - load(t.kernel + p);
      const Vec<Real> dy = y - load(t.kernel + t.stride + p);
      const Vec<Real> dz = z - load(t.kernel + 2 * t.stride + p);
      const Vec<Real> distance = square_root(dx * dx + dy * dy + dz * dz);
      store<Real>(influence + slot * t.stride + p, larger<Real>(at_zero - distance * slope, Vec<Real>{}));
    }
  }
  return found;
}

// out[p, c...] = sum over slots of influence[slot, p] * features[row, c...], for a group of kernel points and
// kVectors vectors of channels.
template <class Real, int kVectors>
inline void aggregate_group(const Real* features, std::int64_t channels, const std::int64_t* rows,
                            std::int64_t found, const Real* influence, std::int64_t stride,
                            std::int64_t points, Real* out) {
  Vec<Real> sum[group][kVectors] = {};
  for (std::int64_t slot = 0; slot < found; ++slot) {
    const Real* row = features + rows[slot] * channels;
    const Real* weight = influence + slot * stride;
    Vec<Real> f[kVectors];
    PMTR_UNROLL
    for (int v = 0; v < kVectors; ++v) f[v] = load(row + v * lanes<Real>);
    PMTR_UNROLL
    for (int p = 0; p < group; ++p) {
      const Vec<Real> w = splat(weight[p]);
      PMTR_UNROLL
      for (int v = 0; v < kVectors; ++v) sum[p][v] += w * f[v];
    }
  }
  PMTR_UNROLL
  for (int p = 0; p < group; ++p) {
    if (p >= points) break;
    PMTR_UNROLL
    for (int v = 0; v < kVectors; ++v) store<Real>(out + p * channels + v * lanes<Real>, sum[p][v]);
  }
}

template <class Real>
void aggregate(const KpconvTables<Real>& t, std::int64_t begin, std::int64_t end, Real* influence,
               std::int64_t* rows, Real* out) {
  for (std::int64_t i = begin; i < end; ++i, out += t.kernel_points * t.channels) {
    const std::int64_t found = find_influences(t, i, influence, rows);
    std::int64_t c = 0;
    for (; c + 2 * lanes<Real> <= t.channels; c += 2 * lanes<Real>)
      for (std::int64_t p = 0; p < t.kernel_points; p += group)
        aggregate_group<Real, 2>(t.features + c, t.channels, rows, found, influence + p, t.stride,
                                 t.kernel_points - p, out + p * t.channels + c);
    for (; c + lanes<Real> <= t.channels; c += lanes<Real>)
      for (std::int64_t p = 0; p < t.kernel_points; p += group)
        aggregate_group<Real, 1>(t.features + c, t.channels, rows, found, influence + p, t.stride,
                                 t.kernel_points - p, out + p * t.channels + c);
    // Single channels (the first layer has only one): vectors run over the kernel points.
    for (; c < t.channels; ++c) {
      for (std::int64_t p = 0; p < t.kernel_points; p += lanes<Real>) {
        Vec<Real> sum = {};
        for (std::int64_t slot = 0; slot < found; ++slot)
          sum += splat(t.features[rows[slot] * t.channels + c]) * load(influence + slot * t.stride + p);
        for (int lane = 0; lane < lanes<Real> && p + lane < t.kernel_points; ++lane)
          out[(p + lane) * t.channels + c] = sum[lane];
      }
    }
  }
}

// d_features[row, c...] += sum_p influence[slot, p] * d[p, c...], for up to rows_at_once slots. One row after
// the other, since a table may name a support twice.
template <class Real, int kVectors>
inline void scatter_group(const Real* d, std::int64_t channels, std::int64_t kernel_points,
                          const std::int64_t* rows, std::int64_t slots, const Real* influence,
                          std::int64_t stride, Real* d_features) {
  Vec<Real> sum[rows_at_once][kVectors] = {};
  const Real* weight[rows_at_once];
  PMTR_UNROLL
  for (int s = 0; s < rows_at_once; ++s) weight[s] = influence + (s < slots ? s : slots - 1) * stride;
  for (std::int64_t p = 0; p < kernel_points; ++p) {
    Vec<Real> dp[kVectors];
    PMTR_UNROLL
    for (int v = 0; v < kVectors; ++v) dp[v] = load(d + p * channels + v * lanes<Real>);
    PMTR_UNROLL
    for (int s = 0; s < rows_at_once; ++s) {
      const Vec<Real> w = splat(weight[s][p]);
      PMTR_UNROLL
      for (int v = 0; v < kVectors; ++v) sum[s][v] += w * dp[v];
    }
  }
  PMTR_UNROLL
  for (int s = 0; s < rows_at_once; ++s) {
    if (s >= slots) break;
    Real* to = d_features + rows[s] * channels;
    PMTR_UNROLL
    for (int v = 0; v < kVectors; ++v)
      store<Real>(to + v * lanes<Real>, load(to + v * lanes<Real>) + sum[s][v]);
  }
}

template <class Real>
void scatter(const KpconvTables<Real>& t, std::int64_t begin, std::int64_t end, const Real* d,
             Real* influence, std::int64_t* rows, Real* d_features) {
  for (std::int64_t i = begin; i < end; ++i, d += t.kernel_points * t.channels) {
    const std::int64_t found = find_influences(t, i, influence, rows);
    std::int64_t c = 0;
    for (; c + 2 * lanes<Real> <= t.channels; c += 2 * lanes<Real>)
      for (std::int64_t slot = 0; slot < found; slot += rows_at_once)
        scatter_group<Real, 2>(d + c, t.channels, t.kernel_points, rows + slot, found - slot,
                               influence + slot * t.stride, t.stride, d_features + c);
    for (; c + lanes<Real> <= t.channels; c += lanes<Real>)
      for (std::int64_t slot = 0; slot < found; slot += rows_at_once)
        scatter_group<Real, 1>(d + c, t.channels, t.kernel_points, rows + slot, found - slot,
                               influence + slot * t.stride, t.stride, d_features + c);
    for (; c < t.channels; ++c) {
      for (std::int64_t slot = 0; slot < found; ++slot) {
        Real sum = 0;
        for (std::int64_t p = 0; p < t.kernel_points; ++p)
          sum += influence[slot * t.stride + p] * d[p * t.channels + c];
        d_features[rows[slot] * t.channels + c] += sum;
      }
    }
  }
}

template <class Real>
const KpconvLoops<Real>& kpconv_loops() {
  static constexpr KpconvLoops<Real> loops = {influence_stride<Real>, count_positive<Real>, aggregate<Real>,
                                              scatter<Real>};
  return loops;
}

template const KpconvLoops<float>& kpconv_loops<float>();
template const KpconvLoops<double>& kpconv_loops<double>();

}  // namespace pmtr::kernels::PMTR_ISA
