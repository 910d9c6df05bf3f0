// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/pmt_attention_loops.h"

#define PMTR_VECTOR_BYTES 32
#include "pmtr/kernels/simd.h"

namespace pmtr::kernels::PMTR_ISA {
namespace {

// Not the view's own functions: those are inline for everyone.
PMTR_INLINE long edge_begin(const AttentionEdges& edges, long n) {
  return edges.offsets != nullptr ? edges.offsets[n] - edges.offsets[0] : n * edges.width;
}
PMTR_INLINE long neighbour_of(const AttentionEdges& edges, long e) {
  const long index = edges.indices[e] - edges.first;
  return index >= 0 && index < edges.points ? index : -1;
}

/// The MLP in registers, each row of four repeated over the vector.
template <class Real>
struct MlpVectors {
  Vec<Real> weight1, bias1, bias2;
  Vec<Real> by_hidden[4];  ///< weight2[h][k] with h along the lanes
  Vec<Real> by_head[4];    ///< weight2[h][k] with k along the lanes

  explicit MlpVectors(const PmtAttentionMlp<Real>& mlp) {
    weight1 = repeat_heads(mlp.weight1);
    bias1 = repeat_heads(mlp.bias1);
    bias2 = repeat_heads(mlp.bias2);
    for (int k = 0; k < 4; ++k) {
      const Real column[4] = {mlp.weight2[0][k], mlp.weight2[1][k], mlp.weight2[2][k], mlp.weight2[3][k]};
      by_hidden[k] = repeat_heads(column);
      by_head[k] = repeat_heads(mlp.weight2[k]);
    }
  }

  PMTR_INLINE Vec<Real> hidden(Vec<Real> length) const {
    const Vec<Real> before = weight1 * length + bias1;
    return before > 0 ? before : Vec<Real>{};
  }
};

/// `start` + sum_k lane k of each group of v times rows[k].
template <class Real>
PMTR_INLINE Vec<Real> times_matrix(Vec<Real> start, Vec<Real> v, const Vec<Real> (&rows)[4]) {
  start += spread<0>(v) * rows[0];
  start += spread<1>(v) * rows[1];
  start += spread<2>(v) * rows[2];
  start += spread<3>(v) * rows[3];
  return start;
}

PMTR_INLINE Vec<float> edge_pair(const float* length) {
  return Vec<float>{length[0], length[0], length[0], length[0], length[1], length[1], length[1], length[1]};
}
PMTR_INLINE Vec<double> edge_pair(const double* length) { return splat(*length); }

/// weights [count, heads] = softmax over the edges. Lengths and weights have room for a whole last vector.
template <class Real>
PMTR_INLINE void softmax_of_lengths(const MlpVectors<Real>& mlp, Real* lengths, long count, Real* weights) {
  constexpr long step = edges_per_vec<Real>;
  for (long k = count; k % step != 0; ++k) lengths[k] = lengths[count - 1];  // moves no maximum
  Vec<Real> top = splat(Real(-3e38));
  for (long k = 0; k < count; k += step) {
    const Vec<Real> hidden = mlp.hidden(edge_pair(lengths + k));
    const Vec<Real> logit = times_matrix<Real>(mlp.bias2, hidden, mlp.by_hidden);
    top = larger<Real>(logit, top);
    store(weights + 4 * k, logit);
  }
  Real tops[lanes<Real>];
  store(tops, top);
  for (long l = 4; l < lanes<Real>; ++l) {
    if (tops[l] > tops[l - 4]) tops[l - 4] = tops[l];
  }
  top = repeat_heads(tops);
  Vec<Real> sum = {};
  for (long k = 0; k < count; k += step) {
    Vec<Real> w = exponential(load(weights + 4 * k) - top);
    store(weights + 4 * k, w);
    if (k + step > count) {
      for (long l = 4; l < lanes<Real>; ++l) w[l] = 0;
    }
    sum += w;
  }
  Real sums[4];
  fold_heads<false>(sum, sums);
  sum = repeat_heads(sums);
  const Vec<Real> scale = Real(1) / sum;
  for (long k = 0; k < count; k += step) {
    store<Real>(weights + 4 * k, load(weights + 4 * k) * scale);
  }
}

/// V vectors of columns of one output row.
template <class Real, int V>
PMTR_INLINE void gather_block(const Real* input, long width, const std::int32_t* rows, const Real* weights,
                              long count, Real* output) {
  Vec<Real> sum[V] = {};
  for (long k = 0; k < count; ++k) {
    const Real* from = input + rows[k] * width;
    const Vec<Real> weight = repeat_heads(weights + 4 * k);
    PMTR_UNROLL
    for (int v = 0; v < V; ++v) sum[v] += weight * load(from + v * lanes<Real>);
  }
  PMTR_UNROLL
  for (int v = 0; v < V; ++v) store(output + v * lanes<Real>, sum[v]);
}

/// output [width] = sum_k weights[k, head] * input[rows[k]].
template <class Real>
PMTR_INLINE void gather_row(const Real* input, long width, const std::int32_t* rows, const Real* weights,
                            long count, Real* output) {
  constexpr long step = lanes<Real>;
  long c = 0;
  for (; c + 8 * step <= width; c += 8 * step)
    gather_block<Real, 8>(input + c, width, rows, weights, count, output + c);
  for (; c + 2 * step <= width; c += 2 * step)
    gather_block<Real, 2>(input + c, width, rows, weights, count, output + c);
  for (; c < width; ++c) {
    Real sum = 0;
    for (long k = 0; k < count; ++k) sum += weights[4 * k + c % 4] * input[rows[k] * width + c];
    output[c] = sum;
  }
}

/// dots [count, heads] += the products of `row` and input[rows[k]] over V vectors of columns.
template <class Real, int V>
PMTR_INLINE void dot_block(const Real* input, long width, const std::int32_t* rows, const Real* row,
                           long count, Real* dots) {
  Vec<Real> here[V];
  PMTR_UNROLL
  for (int v = 0; v < V; ++v) here[v] = load(row + v * lanes<Real>);
  for (long k = 0; k < count; ++k) {
    const Real* from = input + rows[k] * width;
    Vec<Real> even = {};
    Vec<Real> odd = {};
    PMTR_UNROLL
    for (int v = 0; v < V; v += 2) {
      even += load(from + v * lanes<Real>) * here[v];
      odd += load(from + (v + 1) * lanes<Real>) * here[v + 1];
    }
    even += odd;
    fold_heads<true>(even, dots + 4 * k);
  }
}

template <class Real>
PMTR_INLINE void dot_rows(const Real* input, long width, const std::int32_t* rows, const Real* row,
                          long count, Real* dots) {
  constexpr long step = lanes<Real>;
  for (long k = 0; k < 4 * count; ++k) dots[k] = 0;
  long c = 0;
  for (; c + 8 * step <= width; c += 8 * step)
    dot_block<Real, 8>(input + c, width, rows, row + c, count, dots);
  for (; c + 2 * step <= width; c += 2 * step)
    dot_block<Real, 2>(input + c, width, rows, row + c, count, dots);
  for (; c < width; ++c) {
    for (long k = 0; k < count; ++k) dots[4 * k + c % 4] += row[c] * input[rows[k] * width + c];
  }
}

/// The sums over edges that make the gradient of the MLP.
template <class Real>
struct MlpSums {
  Vec<Real> weight1 = {};
  Vec<Real> bias1 = {};
  Vec<Real> bias2 = {};
  Vec<Real> by_hidden[4] = {};

  /// One point: back through the softmax and the MLP. The arrays end with a whole vector, zeros beyond count.
  PMTR_INLINE void add(const MlpVectors<Real>& mlp, const Real* lengths, const Real* weights,
                       const Real* d_weights, long count) {
    constexpr long step = edges_per_vec<Real>;
    Vec<Real> mean = {};  // of the gradients, weighted by the attention
    for (long k = 0; k < count; k += step) mean += load(weights + 4 * k) * load(d_weights + 4 * k);
    Real means[4];
    fold_heads<false>(mean, means);
    mean = repeat_heads(means);
    for (long k = 0; k < count; k += step) {
      const Vec<Real> d_logit = load(weights + 4 * k) * (load(d_weights + 4 * k) - mean);
      const Vec<Real> length = edge_pair(lengths + k);
      const Vec<Real> hidden = mlp.hidden(length);
      bias2 += d_logit;
      by_hidden[0] += spread<0>(hidden) * d_logit;
      by_hidden[1] += spread<1>(hidden) * d_logit;
      by_hidden[2] += spread<2>(hidden) * d_logit;
      by_hidden[3] += spread<3>(hidden) * d_logit;
      Vec<Real> d_hidden = times_matrix<Real>(Vec<Real>{}, d_logit, mlp.by_head);
      d_hidden = hidden > 0 ? d_hidden : Vec<Real>{};
      bias1 += d_hidden;
      weight1 += d_hidden * length;
    }
  }

  void write(PmtAttentionMlp<Real>& d_mlp) const {
    fold_heads<false>(weight1, d_mlp.weight1);
    fold_heads<false>(bias1, d_mlp.bias1);
    fold_heads<false>(bias2, d_mlp.bias2);
    for (int k = 0; k < 4; ++k) {
      Real column[4];
      fold_heads<false>(by_hidden[k], column);
      for (int h = 0; h < 4; ++h) d_mlp.weight2[h][k] = column[h];
    }
  }
};

}  // namespace

template <class Real>
void attend(const PmtAttentionData<Real>& d, std::int64_t begin, std::int64_t end, Real* scratch,
            std::int32_t* neighbours) {
  const MlpVectors<Real> mlp(*d.mlp);
  for (long n = begin; n < end; ++n) {
    const long first = edge_begin(d.edges, n);
    const long last = edge_begin(d.edges, n + 1);
    Real* weights = scratch;
    Real* lengths = scratch + 4 * (last - first + 1);
    long count = 0;
    for (long e = first; e < last; ++e) {
      const long neighbour = neighbour_of(d.edges, e);
      if (neighbour < 0) continue;
      neighbours[count] = static_cast<std::int32_t>(neighbour);
      lengths[count] = d.lengths[e];
      ++count;
    }
    if (count > 0) softmax_of_lengths(mlp, lengths, count, weights);
    const Real* weight = weights;
    for (long e = first; e < last; ++e) {
      const bool pad = neighbour_of(d.edges, e) < 0;
      for (int h = 0; h < 4; ++h) d.attention[4 * e + h] = pad ? Real(0) : weight[h];
      if (!pad) weight += 4;
    }
    gather_row(d.input, d.width, neighbours, weights, count, d.output + n * d.width);
  }
}

template <class Real>
void input_reverse(const PmtAttentionData<Real>& d, std::int64_t begin, std::int64_t end, Real* scratch) {
  for (long j = begin; j < end; ++j) {
    const long first = d.inverse_begin[j];
    const long count = d.inverse_begin[j + 1] - first;
    for (long k = 0; k < count; ++k) {
      const Real* weight = d.attention + 4 * static_cast<long>(d.inverse_edge[first + k]);
      for (int h = 0; h < 4; ++h) scratch[4 * k + h] = weight[h];
    }
    gather_row(d.d_output, d.width, d.inverse_point + first, scratch, count, d.d_input + j * d.width);
  }
}

template <class Real>
void mlp_reverse(const PmtAttentionData<Real>& d, std::int64_t begin, std::int64_t end, Real* scratch,
                 std::int32_t* neighbours, PmtAttentionMlp<Real>& d_mlp) {
  const MlpVectors<Real> mlp(*d.mlp);
  MlpSums<Real> sums;
  for (long n = begin; n < end; ++n) {
    const long first = edge_begin(d.edges, n);
    const long last = edge_begin(d.edges, n + 1);
    const long room = last - first + 1;
    Real* weights = scratch;
    Real* d_weights = scratch + 4 * room;
    Real* lengths = scratch + 8 * room;
    long count = 0;
    for (long e = first; e < last; ++e) {
      const long neighbour = neighbour_of(d.edges, e);
      if (neighbour < 0) continue;
      neighbours[count] = static_cast<std::int32_t>(neighbour);
      lengths[count] = d.lengths[e];
      for (int h = 0; h < 4; ++h) weights[4 * count + h] = d.attention[4 * e + h];
      ++count;
    }
    dot_rows(d.input, d.width, neighbours, d.d_output + n * d.width, count, d_weights);
    for (long k = count; k % edges_per_vec<Real> != 0; ++k) {
      lengths[k] = 0;
      for (int h = 0; h < 4; ++h) weights[4 * k + h] = d_weights[4 * k + h] = 0;
    }
    sums.add(mlp, lengths, weights, d_weights, count);
  }
  sums.write(d_mlp);
}

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type
#define PMTR_INSTANTIATE(Real)                                                                         \
  template void attend<Real>(const PmtAttentionData<Real>&, std::int64_t, std::int64_t, Real*,         \
                             std::int32_t*);                                                           \
  template void input_reverse<Real>(const PmtAttentionData<Real>&, std::int64_t, std::int64_t, Real*); \
  template void mlp_reverse<Real>(const PmtAttentionData<Real>&, std::int64_t, std::int64_t, Real*,    \
                                  std::int32_t*, PmtAttentionMlp<Real>&);
PMTR_INSTANTIATE(float)
PMTR_INSTANTIATE(double)
#undef PMTR_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace pmtr::kernels::PMTR_ISA
