// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/point_norm_loops.h"

#define PMTR_VECTOR_BYTES 32
#include "pmtr/kernels/simd.h"

namespace pmtr::kernels::PMTR_ISA {
namespace {

/// sum of a[c] * b[c].
template <class Real>
PMTR_INLINE Real dot(const Real* a, const Real* b, long count) {
  constexpr long step = lanes<Real>;
  Vec<Real> even = {};
  Vec<Real> odd = {};
  long c = 0;
  for (; c + 2 * step <= count; c += 2 * step) {
    even += load(a + c) * load(b + c);
    odd += load(a + c + step) * load(b + c + step);
  }
  even += odd;
  Real parts[4];
  fold_heads<false>(even, parts);
  Real sum = (parts[0] + parts[2]) + (parts[1] + parts[3]);
  for (; c < count; ++c) sum += a[c] * b[c];
  return sum;
}

/// One vector of channels of one point over all factors. Folded: four channels, two factors to a vector.
template <class Real, bool folded>
struct ChannelBlock {
  const PointNormData<Real>& d;
  long at;      ///< of the first number in the features
  long stride;  ///< from vector to vector
  long count;   ///< of vectors
  Vec<Real> weight, bias;
  Vec<Real> mean = {};
  Vec<Real> scale = {};  ///< 1 / sqrt(variance + epsilon)

  PMTR_INLINE ChannelBlock(const PointNormData<Real>& data, long point, long channel)
      : d(data), at(point * data.factors * data.channels + channel) {
    stride = folded ? lanes<Real> : d.channels;
    count = folded ? d.factors * d.channels / lanes<Real> : d.factors;
    if (folded) {
      weight = repeat_heads(d.weight);
      bias = repeat_heads(d.bias);
    } else {
      weight = load(d.weight + channel);
      bias = load(d.bias + channel);
    }
    const Real share = Real(1) / static_cast<Real>(d.factors);
    const Real* x = d.input + at;
    for (long k = 0; k < count; ++k) mean += load(x + k * stride);
    mean = complete(mean) * share;
    Vec<Real> variance = {};
    for (long k = 0; k < count; ++k) {
      const Vec<Real> away = load(x + k * stride) - mean;
      variance += away * away;
    }
    scale = Real(1) / square_root(complete(variance) * share + d.epsilon);
  }

  /// A sum over vectors becomes the sum over factors.
  PMTR_INLINE static Vec<Real> complete(Vec<Real> sum) {
    if (!folded) return sum;
    Real parts[4];
    fold_heads<false>(sum, parts);
    return repeat_heads(parts);
  }

  PMTR_INLINE void forward() const {
    const Vec<Real> factor = scale * weight;
    for (long k = 0; k < count; ++k) {
      const Vec<Real> y = (load(d.input + at + k * stride) - mean) * factor + bias;
      store<Real>(d.output + at + k * stride, y > 0 ? y : y * d.slope);
    }
  }

  /// The normalised input and the gradient of what the LeakyReLU was given.
  PMTR_INLINE void undo_leaky(long k, Vec<Real>& normal, Vec<Real>& d_linear) const {
    normal = (load(d.input + at + k * stride) - mean) * scale;
    d_linear = load(d.d_output + at + k * stride);
    d_linear = normal * weight + bias > 0 ? d_linear : d_linear * d.slope;
  }

  PMTR_INLINE void reverse(Real* d_weight, Real* d_bias) const {
    Vec<Real> weight_sum = {};
    Vec<Real> bias_sum = {};
    Vec<Real> normal;
    Vec<Real> d_linear;
    for (long k = 0; k < count; ++k) {
      undo_leaky(k, normal, d_linear);
      weight_sum += normal * d_linear;
      bias_sum += d_linear;
    }
    if (folded) {
      fold_heads<true>(weight_sum, d_weight);
      fold_heads<true>(bias_sum, d_bias);
    } else {
      store<Real>(d_weight, load(d_weight) + weight_sum);
      store<Real>(d_bias, load(d_bias) + bias_sum);
    }
    const Real share = Real(1) / static_cast<Real>(d.factors);
    const Vec<Real> factor = scale * weight;
    weight_sum = complete(weight_sum) * share;
    bias_sum = complete(bias_sum) * share;
    for (long k = 0; k < count; ++k) {
      undo_leaky(k, normal, d_linear);
      const Vec<Real> d_x = factor * (d_linear - bias_sum - normal * weight_sum);
      store<Real>(d.d_input + at + k * stride, d_x);
    }
  }
};

/// One channel of one point, for counts that no vector fits.
template <class Real>
struct SingleChannel {
  const PointNormData<Real>& d;
  long at;
  Real weight, bias;
  Real mean = 0;
  Real scale = 0;

  SingleChannel(const PointNormData<Real>& data, long point, long channel)
      : d(data),
        at(point * data.factors * data.channels + channel),
        weight(data.weight[channel]),
        bias(data.bias[channel]) {
    for (long f = 0; f < d.factors; ++f) mean += d.input[at + f * d.channels];
    mean /= static_cast<Real>(d.factors);
    Real variance = 0;
    for (long f = 0; f < d.factors; ++f) {
      const Real x = d.input[at + f * d.channels] - mean;
      variance += x * x;
    }
    scale = Real(1) / square_root(variance / static_cast<Real>(d.factors) + d.epsilon);
  }

  void forward() const {
    for (long f = 0; f < d.factors; ++f) {
      const Real y = (d.input[at + f * d.channels] - mean) * scale * weight + bias;
      d.output[at + f * d.channels] = y > 0 ? y : y * d.slope;
    }
  }

  void reverse(Real* d_weight, Real* d_bias) const {
    Real weight_sum = 0;
    Real bias_sum = 0;
    for (int pass = 0; pass < 2; ++pass) {
      const Real share = Real(1) / static_cast<Real>(d.factors);
      const Real weight_mean = weight_sum * share;
      const Real bias_mean = bias_sum * share;
      for (long f = 0; f < d.factors; ++f) {
        const Real normal = (d.input[at + f * d.channels] - mean) * scale;
        Real d_linear = d.d_output[at + f * d.channels];
        if (!(normal * weight + bias > 0)) d_linear *= d.slope;
        if (pass == 0) {
          weight_sum += normal * d_linear;
          bias_sum += d_linear;
        } else {
          d.d_input[at + f * d.channels] = scale * weight * (d_linear - bias_mean - normal * weight_mean);
        }
      }
    }
    *d_weight += weight_sum;
    *d_bias += bias_sum;
  }
};

/// Calls visit(block, channel) for all channels of a point.
template <class Real, class Visit>
PMTR_INLINE void for_channels(const PointNormData<Real>& d, long point, const Visit& visit) {
  if (d.channels == 4 && lanes<Real> == 8 && d.factors % 2 == 0) {
    visit(ChannelBlock<Real, true>(d, point, 0), 0);
    return;
  }
  long c = 0;
  for (; c + lanes<Real> <= d.channels; c += lanes<Real>) visit(ChannelBlock<Real, false>(d, point, c), c);
  for (; c < d.channels; ++c) visit(SingleChannel<Real>(d, point, c), c);
}

}  // namespace

template <class Real>
void l2_normalise(const Real* input, long channels, long begin, long end, Real* output) {
  for (long r = begin; r < end; ++r) {
    const Real* x = input + r * channels;
    Real norm = square_root(dot(x, x, channels));
    if (norm < Real(1e-12)) norm = Real(1e-12);
    Real* y = output + r * channels;
    long c = 0;
    for (; c + lanes<Real> <= channels; c += lanes<Real>) store<Real>(y + c, load(x + c) / norm);
    for (; c < channels; ++c) y[c] = x[c] / norm;
  }
}

template <class Real>
void l2_normalise_reverse(const Real* input, long channels, const Real* d_output, long begin, long end,
                          Real* d_input) {
  for (long r = begin; r < end; ++r) {
    const Real* x = input + r * channels;
    const Real* d_y = d_output + r * channels;
    Real* d_x = d_input + r * channels;
    const Real norm = square_root(dot(x, x, channels));
    const bool constant = norm < Real(1e-12);
    const Real scale = Real(1) / (constant ? Real(1e-12) : norm);
    // y (y . d_y) / norm = x (x . d_y) / norm^3
    const Real along = constant ? Real(0) : dot(x, d_y, channels) * scale * scale;
    long c = 0;
    for (; c + lanes<Real> <= channels; c += lanes<Real>)
      store<Real>(d_x + c, (load(d_y + c) - load(x + c) * along) * scale);
    for (; c < channels; ++c) d_x[c] = (d_y[c] - x[c] * along) * scale;
  }
}

template <class Real>
void point_norm(const PointNormData<Real>& data, long begin, long end) {
  for (long n = begin; n < end; ++n) for_channels(data, n, [](const auto& block, long) { block.forward(); });
}

template <class Real>
void point_norm_reverse(const PointNormData<Real>& data, long begin, long end, Real* d_weight, Real* d_bias) {
  for (long n = begin; n < end; ++n) {
    for_channels(data, n, [=](const auto& block, long channel) {
      block.reverse(d_weight + channel, d_bias + channel);
    });
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type
#define PMTR_INSTANTIATE(Real)                                                                 \
  template void l2_normalise<Real>(const Real*, long, long, long, Real*);                      \
  template void l2_normalise_reverse<Real>(const Real*, long, const Real*, long, long, Real*); \
  template void point_norm<Real>(const PointNormData<Real>&, long, long);                      \
  template void point_norm_reverse<Real>(const PointNormData<Real>&, long, long, Real*, Real*);
PMTR_INSTANTIATE(float)
PMTR_INSTANTIATE(double)
#undef PMTR_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace pmtr::kernels::PMTR_ISA
