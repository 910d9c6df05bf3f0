// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/optimal_transport_loops.h"

#define PMTR_VECTOR_BYTES 32
#include "pmtr/kernels/simd.h"

namespace pmtr::kernels::PMTR_ISA {
namespace {

/// y[c] = sum_k x[k] * matrix[k * stride + c] for V vectors of columns: no sums across lanes.
template <int V>
inline void weighted_rows_block(const double* matrix, long stride, long count, const double* x, double* y) {
  // Two chains hide the latency of the add when the block is narrow.
  Vec<double> even[V] = {};
  Vec<double> odd[V] = {};
  long k = 0;
  for (; k + 2 <= count; k += 2) {
    const double x0 = x[k];
    const double x1 = x[k + 1];
    const double* row = matrix + k * stride;
    for (int v = 0; v < V; ++v) {
      even[v] += load(row + 4 * v) * x0;
      odd[v] += load(row + stride + 4 * v) * x1;
    }
  }
  if (k < count) {
    for (int v = 0; v < V; ++v) even[v] += load(matrix + k * stride + 4 * v) * x[k];
  }
  for (int v = 0; v < V; ++v) store(y + 4 * v, even[v] + odd[v]);
}

/// The same for `width` columns, a multiple of 4.
inline void weighted_rows(const double* matrix, long stride, long count, const double* x, long width,
                          double* y) {
  long c = 0;
  for (; c + 16 <= width; c += 16) weighted_rows_block<4>(matrix + c, stride, count, x, y + c);
  switch ((width - c) / 4) {
    case 1:
      weighted_rows_block<1>(matrix + c, stride, count, x, y + c);
      break;
    case 2:
      weighted_rows_block<2>(matrix + c, stride, count, x, y + c);
      break;
    case 3:
      weighted_rows_block<3>(matrix + c, stride, count, x, y + c);
      break;
    default:
      break;
  }
}

/// y = mass / y over whole vectors.
inline void divide_into(const double* mass, double* y, long width) {
  for (long c = 0; c < width; c += 4) {
    store(y + c, load(mass + c) / load(y + c));
  }
}

inline bool moved(const double* now, const double* before, long count, double tolerance) {
  for (long c = 0; c < count; ++c) {
    const double change = now[c] - before[c];
    const double limit = tolerance * now[c];
    if (change > limit || change < -limit) return true;
  }
  return false;
}

}  // namespace

int scale(const TransportProblem& p, int iterations, double tolerance, double* a, double* b) {
  for (int t = 0; t < iterations; ++t) {
    double* a_now = a + (t + 1) * p.row_stride;
    double* b_now = b + (t + 1) * p.column_stride;
    const double* b_before = b + t * p.column_stride;
    weighted_rows(p.kernel_transposed, p.row_stride, p.columns, b_before, p.row_stride, a_now);
    divide_into(p.row_mass, a_now, p.row_stride);
    weighted_rows(p.kernel, p.column_stride, p.rows, a_now, p.column_stride, b_now);
    divide_into(p.column_mass, b_now, p.column_stride);
    if (tolerance > 0 && !moved(b_now, b_before, p.columns, tolerance)) return t + 1;
  }
  return iterations;
}

void unscale(const TransportProblem& p, int iterations, const double* a, const double* b, const double* d_u,
             double* d_v, double* x, double* w, double* weight) {
  for (int t = iterations; t >= 1; --t) {
    const double* a_now = a + t * p.row_stride;
    const double* b_now = b + t * p.column_stride;
    const double* b_before = b_now - p.column_stride;
    double* x_now = x + t * p.column_stride;
    double* w_now = w + t * p.row_stride;
    // v = log_nu - logsumexp_i(Z + u); its softmax is K_ij a_i b_j / nu_j.
    for (long j = 0; j < p.columns; ++j) x_now[j] = b_now[j] * d_v[j] / p.column_mass[j];
    for (long j = p.columns; j < p.column_stride; ++j) x_now[j] = 0;
    weighted_rows(p.kernel_transposed, p.row_stride, p.columns, x_now, p.row_stride, w_now);
    // u = log_mu - logsumexp_j(Z + v of the iteration before); only the last u reaches the output.
    for (long i = 0; i < p.rows; ++i) {
      const double d = (t == iterations ? d_u[i] : 0.0) - a_now[i] * w_now[i];
      w_now[i] = a_now[i] * d / p.row_mass[i];
    }
    for (long i = p.rows; i < p.row_stride; ++i) w_now[i] = 0;
    weighted_rows(p.kernel, p.column_stride, p.rows, w_now, p.column_stride, d_v);
    for (long j = 0; j < p.columns; ++j) d_v[j] *= -b_before[j];
  }
  // All iterations' softmax terms at once: weight_ij = sum_t a_i x_j + w_i b_j(before).
  for (long i = 0; i < p.rows; ++i) {
    for (long j = 0; j < p.column_stride; j += 4) {
      Vec<double> first = {};
      Vec<double> second = {};
      for (int t = 1; t <= iterations; ++t) {
        first += load(x + t * p.column_stride + j) * a[t * p.row_stride + i];
        second += load(b + (t - 1) * p.column_stride + j) * w[t * p.row_stride + i];
      }
      store(weight + i * p.column_stride + j, first + second);
    }
  }
}

}  // namespace pmtr::kernels::PMTR_ISA
