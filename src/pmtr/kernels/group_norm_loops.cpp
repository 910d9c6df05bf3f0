// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/group_norm_loops.h"
#include "pmtr/kernels/simd.h"

namespace pmtr::kernels::PMTR_ISA {

// A column of one number or one vector: the loops below are written once for both.
template <class Real>
struct One {
  using Value = Real;
  static Real get(const Real* from) { return *from; }
  static void put(Real* to, Real value) { *to = value; }
  static Real activate(Real v, Real slope) { return v > 0 ? v : slope * v; }
  static Real gate(Real out, Real d, Real slope) { return out > 0 ? d : slope * d; }
};

template <class Real>
struct Many {
  using Value = Vec<Real>;
  static Vec<Real> get(const Real* from) { return load(from); }
  static void put(Real* to, Vec<Real> value) { store<Real>(to, value); }
  static Vec<Real> activate(Vec<Real> v, Real slope) { return v > Vec<Real>{} ? v : slope * v; }
  static Vec<Real> gate(Vec<Real> out, Vec<Real> d, Real slope) { return out > Vec<Real>{} ? d : slope * d; }
};

// Calls body<Column, count>(first channel): runs of 4 vectors, then single vectors, then single numbers.
#define PMTR_OVER_CHANNELS(body, ...)                                      \
  {                                                                        \
    std::int64_t c = 0;                                                    \
    for (; c + 4 * lanes<Real> <= channels; c += 4 * lanes<Real>)          \
      body<Real, Many<Real>, 4, lanes<Real>>(c, __VA_ARGS__);              \
    for (; c + lanes<Real> <= channels; c += lanes<Real>)                  \
      body<Real, Many<Real>, 1, lanes<Real>>(c, __VA_ARGS__);              \
    for (; c < channels; ++c) body<Real, One<Real>, 1, 1>(c, __VA_ARGS__); \
  }

template <class Real, class Column, int kCount, int kWidth>
inline void moments_of(std::int64_t c, const Real* x, std::int64_t channels, std::int64_t begin,
                       std::int64_t end, Real* centre, Real* sum, Real* squares) {
  using Value = typename Column::Value;
  const Real share = Real(1) / static_cast<Real>(end - begin);
  Value total[kCount] = {};
  for (std::int64_t r = begin; r < end; ++r) {
    PMTR_UNROLL
    for (int v = 0; v < kCount; ++v) total[v] += Column::get(x + r * channels + c + v * kWidth);
  }
  Value near[kCount];
  PMTR_UNROLL
  for (int v = 0; v < kCount; ++v) near[v] = total[v] * share;
  Value first[kCount] = {};
  Value second[kCount] = {};
  for (std::int64_t r = begin; r < end; ++r) {
    PMTR_UNROLL
    for (int v = 0; v < kCount; ++v) {
      const Value d = Column::get(x + r * channels + c + v * kWidth) - near[v];
      first[v] += d;
      second[v] += d * d;
    }
  }
  PMTR_UNROLL
  for (int v = 0; v < kCount; ++v) {
    Column::put(centre + c + v * kWidth, near[v]);
    Column::put(sum + c + v * kWidth, first[v]);
    Column::put(squares + c + v * kWidth, second[v]);
  }
}

template <class Real>
void moments(const Real* x, std::int64_t channels, std::int64_t begin, std::int64_t end, Real* centre,
             Real* sum, Real* squares) {
  PMTR_OVER_CHANNELS(moments_of, x, channels, begin, end, centre, sum, squares)
}

template <class Real, class Column, int kCount, int kWidth>
inline void apply_to(std::int64_t c, const Real* x, const Real* shortcut, std::int64_t channels,
                     std::int64_t begin, std::int64_t end, const Real* mean, const Real* scale,
                     const Real* beta, Real slope, Real* out) {
  using Value = typename Column::Value;
  Value m[kCount], s[kCount], b[kCount];
  PMTR_UNROLL
  for (int v = 0; v < kCount; ++v) {
    m[v] = Column::get(mean + c + v * kWidth);
    s[v] = Column::get(scale + c + v * kWidth);
    b[v] = Column::get(beta + c + v * kWidth);
  }
  for (std::int64_t r = begin; r < end; ++r) {
    PMTR_UNROLL
    for (int v = 0; v < kCount; ++v) {
      const std::int64_t at = r * channels + c + v * kWidth;
      Value y = (Column::get(x + at) - m[v]) * s[v] + b[v];
      if (shortcut != nullptr) y += Column::get(shortcut + at);
      Column::put(out + at, Column::activate(y, slope));
    }
  }
}

template <class Real>
void apply(const Real* x, const Real* shortcut, std::int64_t channels, std::int64_t begin, std::int64_t end,
           const Real* mean, const Real* scale, const Real* beta, Real slope, Real* out) {
  PMTR_OVER_CHANNELS(apply_to, x, shortcut, channels, begin, end, mean, scale, beta, slope, out)
}

template <class Real, class Column, int kCount, int kWidth>
inline void gradient_sums_of(std::int64_t c, const Real* x, const Real* out, const Real* d_out,
                             std::int64_t channels, std::int64_t begin, std::int64_t end, const Real* mean,
                             Real slope, Real* sum, Real* product, Real* d_kept) {
  using Value = typename Column::Value;
  Value m[kCount];
  PMTR_UNROLL
  for (int v = 0; v < kCount; ++v) m[v] = Column::get(mean + c + v * kWidth);
  Value first[kCount] = {};
  Value second[kCount] = {};
  for (std::int64_t r = begin; r < end; ++r) {
    PMTR_UNROLL
    for (int v = 0; v < kCount; ++v) {
      const std::int64_t at = r * channels + c + v * kWidth;
      Value d = Column::get(d_out + at);
      if (out != nullptr) d = Column::gate(Column::get(out + at), d, slope);
      if (d_kept != nullptr) Column::put(d_kept + at, d);
      first[v] += d;
      second[v] += d * (Column::get(x + at) - m[v]);
    }
  }
  PMTR_UNROLL
  for (int v = 0; v < kCount; ++v) {
    Column::put(sum + c + v * kWidth, first[v]);
    Column::put(product + c + v * kWidth, second[v]);
  }
}

template <class Real>
void gradient_sums(const Real* x, const Real* out, const Real* d_out, std::int64_t channels,
                   std::int64_t begin, std::int64_t end, const Real* mean, Real slope, Real* sum,
                   Real* product, Real* d_kept) {
  PMTR_OVER_CHANNELS(gradient_sums_of, x, out, d_out, channels, begin, end, mean, slope, sum, product, d_kept)
}

template <class Real, class Column, int kCount, int kWidth>
inline void gradient_apply_to(std::int64_t c, const Real* x, const Real* out, const Real* d_out,
                              std::int64_t channels, std::int64_t begin, std::int64_t end, const Real* mean,
                              const Real* scale, const Real* tilt, const Real* shift, Real slope, Real* d_x) {
  using Value = typename Column::Value;
  Value m[kCount], s[kCount], t[kCount], h[kCount];
  PMTR_UNROLL
  for (int v = 0; v < kCount; ++v) {
    m[v] = Column::get(mean + c + v * kWidth);
    s[v] = Column::get(scale + c + v * kWidth);
    t[v] = Column::get(tilt + c + v * kWidth);
    h[v] = Column::get(shift + c + v * kWidth);
  }
  for (std::int64_t r = begin; r < end; ++r) {
    PMTR_UNROLL
    for (int v = 0; v < kCount; ++v) {
      const std::int64_t at = r * channels + c + v * kWidth;
      Value d = Column::get(d_out + at);
      if (out != nullptr) d = Column::gate(Column::get(out + at), d, slope);
      Column::put(d_x + at, d * s[v] - (Column::get(x + at) - m[v]) * t[v] - h[v]);
    }
  }
}

template <class Real>
void gradient_apply(const Real* x, const Real* out, const Real* d_out, std::int64_t channels,
                    std::int64_t begin, std::int64_t end, const Real* mean, const Real* scale,
                    const Real* tilt, const Real* shift, Real slope, Real* d_x) {
  PMTR_OVER_CHANNELS(gradient_apply_to, x, out, d_out, channels, begin, end, mean, scale, tilt, shift, slope,
                     d_x)
}

#undef PMTR_OVER_CHANNELS

template <class Real>
const GroupNormLoops<Real>& group_norm_loops() {
  static constexpr GroupNormLoops<Real> loops = {moments<Real>, apply<Real>, gradient_sums<Real>,
                                                 gradient_apply<Real>};
  return loops;
}

template const GroupNormLoops<float>& group_norm_loops<float>();
template const GroupNormLoops<double>& group_norm_loops<double>();

}  // namespace pmtr::kernels::PMTR_ISA
