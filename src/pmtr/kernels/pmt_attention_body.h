// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The loops of pmt_attention, compiled once per instruction set (kernels/cpu.h).

#include "pmtr/kernels/pmt_attention_loops.h"
#include "pmtr/kernels/pmt_vector.h"

#if defined(__clang__)
#define PMTR_UNROLL_VECTORS _Pragma("clang loop unroll(full)")
#else
#define PMTR_UNROLL_VECTORS _Pragma("GCC unroll 8")
#endif

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
    repeat_heads(mlp.weight1, weight1);
    repeat_heads(mlp.bias1, bias1);
    repeat_heads(mlp.bias2, bias2);
    for (int k = 0; k < 4; ++k) {
      const Real column[4] = {mlp.weight2[0][k], mlp.weight2[1][k], mlp.weight2[2][k], mlp.weight2[3][k]};
      repeat_heads(column, by_hidden[k]);
      repeat_heads(mlp.weight2[k], by_head[k]);
    }
  }

  PMTR_INLINE void hidden(const Vec<Real>& length, Vec<Real>& out) const {
    const Vec<Real> before = weight1 * length + bias1;
    out = before > 0 ? before : Vec<Real>{};
  }
};

/// sum_k lane k of each group of v times rows[k].
template <class Real>
PMTR_INLINE void times_matrix(const Vec<Real>& v, const Vec<Real> (&rows)[4], Vec<Real>& out) {
  Vec<Real> lane;
  spread<0>(v, lane);
  out += lane * rows[0];
  spread<1>(v, lane);
  out += lane * rows[1];
  spread<2>(v, lane);
  out += lane * rows[2];
  spread<3>(v, lane);
  out += lane * rows[3];
}

PMTR_INLINE void edge_pair(const float* length, Vec<float>& v) {
  v = Vec<float>{length[0], length[0], length[0], length[0], length[1], length[1], length[1], length[1]};
}
PMTR_INLINE void edge_pair(const double* length, Vec<double>& v) { splat(*length, v); }

/// weights [count, heads] = softmax over the edges. Lengths and weights have room for a whole last vector.
template <class Real>
PMTR_INLINE void softmax_of_lengths(const MlpVectors<Real>& mlp, Real* lengths, long count, Real* weights) {
  constexpr long step = edges_per_vec<Real>;
  for (long k = count; k % step != 0; ++k) lengths[k] = lengths[count - 1];  // moves no maximum
  Vec<Real> top;
  splat(Real(-3e38), top);
  for (long k = 0; k < count; k += step) {
    Vec<Real> length;
    Vec<Real> hidden;
    edge_pair(lengths + k, length);
    mlp.hidden(length, hidden);
    Vec<Real> logit = mlp.bias2;
    times_matrix<Real>(hidden, mlp.by_hidden, logit);
    keep_larger<Real>(logit, top);
    store(weights + 4 * k, logit);
  }
  Real tops[lanes<Real>];
  store(tops, top);
  for (long l = 4; l < lanes<Real>; ++l) {
    if (tops[l] > tops[l - 4]) tops[l - 4] = tops[l];
  }
  repeat_heads(tops, top);
  Vec<Real> sum = {};
  for (long k = 0; k < count; k += step) {
    Vec<Real> w;
    load(weights + 4 * k, w);
    w -= top;
    exponential(w);
    store(weights + 4 * k, w);
    if (k + step > count) {
      for (long l = 4; l < lanes<Real>; ++l) w[l] = 0;
    }
    sum += w;
  }
  Real sums[4];
  fold_heads<false>(sum, sums);
  repeat_heads(sums, sum);
  const Vec<Real> scale = Real(1) / sum;
  for (long k = 0; k < count; k += step) {
    Vec<Real> w;
    load(weights + 4 * k, w);
    w *= scale;
    store(weights + 4 * k, w);
  }
}

/// V vectors of columns of one output row.
template <class Real, int V>
PMTR_INLINE void gather_block(const Real* input, long width, const std::int32_t* rows, const Real* weights,
                              long count, Real* output) {
  Vec<Real> sum[V] = {};
  for (long k = 0; k < count; ++k) {
    const Real* from = input + rows[k] * width;
    Vec<Real> weight;
    repeat_heads(weights + 4 * k, weight);
    PMTR_UNROLL_VECTORS
    for (int v = 0; v < V; ++v) {
      Vec<Real> x;
      load(from + v * lanes<Real>, x);
      sum[v] += weight * x;
    }
  }
  PMTR_UNROLL_VECTORS
  for (int v = 0; v < V; ++v) store(output + v * lanes<Real>, sum[v]);
}

/// The gradients of V vectors of columns of input row j, and their share of the attention's.
template <class Real, int V, bool add>
PMTR_INLINE void reverse_block(const PmtAttentionData<Real>& d, long j, long column) {
  Vec<Real> sum[V] = {};
  const Real* here = d.input + j * d.width + column;
  for (long k = d.inverse_begin[j]; k < d.inverse_begin[j + 1]; ++k) {
    const Real* from = d.d_output + d.inverse_point[k] * d.width + column;
    const long edge = d.inverse_edge[k];
    Vec<Real> weight;
    repeat_heads(d.attention + 4 * edge, weight);
    Vec<Real> dot = {};
    PMTR_UNROLL_VECTORS
    for (int v = 0; v < V; ++v) {
      Vec<Real> g;
      Vec<Real> x;
      load(from + v * lanes<Real>, g);
      load(here + v * lanes<Real>, x);
      sum[v] += weight * g;
      dot += g * x;
    }
    fold_heads<add>(dot, d.d_attention + 4 * edge);
  }
  PMTR_UNROLL_VECTORS
  for (int v = 0; v < V; ++v) store(d.d_input + j * d.width + column + v * lanes<Real>, sum[v]);
}

template <class Real, int V>
PMTR_INLINE void reverse_columns(const PmtAttentionData<Real>& d, long j, long column) {
  if (column == 0) {
    reverse_block<Real, V, false>(d, j, column);
  } else {
    reverse_block<Real, V, true>(d, j, column);
  }
}

}  // namespace

template <class Real>
void attend(const PmtAttentionData<Real>& d, std::int64_t begin, std::int64_t end, Real* scratch,
            std::int32_t* neighbours) {
  constexpr long step = lanes<Real>;
  const MlpVectors<Real> mlp(*d.mlp);
  for (long n = begin; n < end; ++n) {
    const long first = edge_begin(d.edges, n);
    const long last = edge_begin(d.edges, n + 1);
    Real* weights = scratch;
    Real* lengths = scratch + 4 * (last - first + 2);
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
    Real* output = d.output + n * d.width;
    long c = 0;
    for (; c + 8 * step <= d.width; c += 8 * step)
      gather_block<Real, 8>(d.input + c, d.width, neighbours, weights, count, output + c);
    for (; c + 2 * step <= d.width; c += 2 * step)
      gather_block<Real, 2>(d.input + c, d.width, neighbours, weights, count, output + c);
    for (; c < d.width; ++c) {
      Real sum = 0;
      for (long k = 0; k < count; ++k) sum += weights[4 * k + c % 4] * d.input[neighbours[k] * d.width + c];
      output[c] = sum;
    }
  }
}

template <class Real>
void attend_reverse(const PmtAttentionData<Real>& d, std::int64_t begin, std::int64_t end) {
  constexpr long step = lanes<Real>;
  for (long j = begin; j < end; ++j) {
    long c = 0;
    for (; c + 8 * step <= d.width; c += 8 * step) reverse_columns<Real, 8>(d, j, c);
    for (; c + 2 * step <= d.width; c += 2 * step) reverse_columns<Real, 2>(d, j, c);
    for (; c < d.width; ++c) {
      Real sum = 0;
      const Real here = d.input[j * d.width + c];
      for (long k = d.inverse_begin[j]; k < d.inverse_begin[j + 1]; ++k) {
        const Real g = d.d_output[d.inverse_point[k] * d.width + c];
        const long at = 4 * static_cast<long>(d.inverse_edge[k]) + c % 4;
        sum += d.attention[at] * g;
        d.d_attention[at] = (c < 4 ? Real(0) : d.d_attention[at]) + g * here;
      }
      d.d_input[j * d.width + c] = sum;
    }
  }
}

template <class Real>
void mlp_reverse(const PmtAttentionData<Real>& d, std::int64_t begin, std::int64_t end, Real* scratch,
                 PmtAttentionMlp<Real>& d_mlp) {
  constexpr long step = edges_per_vec<Real>;
  const MlpVectors<Real> mlp(*d.mlp);
  Vec<Real> d_weight1 = {};
  Vec<Real> d_bias1 = {};
  Vec<Real> d_bias2 = {};
  Vec<Real> d_by_hidden[4] = {};
  for (long n = begin; n < end; ++n) {
    const long first = edge_begin(d.edges, n);
    const long last = edge_begin(d.edges, n + 1);
    const long room = last - first + 2;
    Real* weights = scratch;
    Real* gradients = scratch + 4 * room;
    Real* lengths = scratch + 8 * room;
    long count = 0;
    Real mean[4] = {};  // of the gradients, weighted by the attention
    for (long e = first; e < last; ++e) {
      if (neighbour_of(d.edges, e) < 0) continue;
      for (int h = 0; h < 4; ++h) {
        weights[4 * count + h] = d.attention[4 * e + h];
        gradients[4 * count + h] = d.d_attention[4 * e + h];
        mean[h] += weights[4 * count + h] * gradients[4 * count + h];
      }
      lengths[count] = d.lengths[e];
      ++count;
    }
    for (long k = count; k % step != 0; ++k) {
      lengths[k] = 0;
      for (int h = 0; h < 4; ++h) weights[4 * k + h] = gradients[4 * k + h] = 0;
    }
    Vec<Real> centre;
    repeat_heads(mean, centre);
    for (long k = 0; k < count; k += step) {
      Vec<Real> d_logit;
      Vec<Real> weight;
      Vec<Real> length;
      Vec<Real> hidden;
      load(gradients + 4 * k, d_logit);
      load(weights + 4 * k, weight);
      d_logit = weight * (d_logit - centre);
      edge_pair(lengths + k, length);
      mlp.hidden(length, hidden);
      d_bias2 += d_logit;
      Vec<Real> lane;
      spread<0>(hidden, lane);
      d_by_hidden[0] += lane * d_logit;
      spread<1>(hidden, lane);
      d_by_hidden[1] += lane * d_logit;
      spread<2>(hidden, lane);
      d_by_hidden[2] += lane * d_logit;
      spread<3>(hidden, lane);
      d_by_hidden[3] += lane * d_logit;
      Vec<Real> d_hidden = {};
      times_matrix<Real>(d_logit, mlp.by_head, d_hidden);
      d_hidden = hidden > 0 ? d_hidden : Vec<Real>{};
      d_bias1 += d_hidden;
      d_weight1 += d_hidden * length;
    }
  }
  fold_heads<true>(d_weight1, d_mlp.weight1);
  fold_heads<true>(d_bias1, d_mlp.bias1);
  fold_heads<true>(d_bias2, d_mlp.bias2);
  for (int k = 0; k < 4; ++k) {
    Real column[4];
    fold_heads<false>(d_by_hidden[k], column);
    for (int h = 0; h < 4; ++h) d_mlp.weight2[h][k] += column[h];
  }
}

#define PMTR_INSTANTIATE(Real)                                                                      \
  template void attend<Real>(const PmtAttentionData<Real>&, std::int64_t, std::int64_t, Real*,      \
                             std::int32_t*);                                                        \
  template void attend_reverse<Real>(const PmtAttentionData<Real>&, std::int64_t, std::int64_t);    \
  template void mlp_reverse<Real>(const PmtAttentionData<Real>&, std::int64_t, std::int64_t, Real*, \
                                  PmtAttentionMlp<Real>&);
PMTR_INSTANTIATE(float)
PMTR_INSTANTIATE(double)
#undef PMTR_INSTANTIATE

}  // namespace pmtr::kernels::PMTR_ISA
