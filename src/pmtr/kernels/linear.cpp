// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/linear.h"

#include <string>

#include "pmtr/core/check.h"
#include "pmtr/kernels/gemm.h"

namespace pmtr::kernels {
namespace {

bool matches(std::size_t size, std::int64_t a, std::int64_t b) {
  return size == static_cast<std::size_t>(a * b);
}

template <class Real>
void check_sizes(const Linear<Real>& v, std::size_t y) {
  PMTR_CHECK(matches(v.x.size(), v.rows, v.channels_in) &&
                 matches(v.weights.size(), v.channels_out, v.channels_in) &&
                 (v.bias.empty() || matches(v.bias.size(), v.channels_out, 1)) &&
                 matches(y, v.rows, v.channels_out),
             std::to_string(v.rows) + " rows, " + std::to_string(v.channels_in) + " -> " +
                 std::to_string(v.channels_out) + " channels, and a span of another size");
}

}  // namespace

template <class Real>
void linear_forward(const Linear<Real>& v, std::span<Real> y, Threads& threads) {
  check_sizes(v, y.size());
  gemm<Real>(row_major(v.x.data(), v.rows, v.channels_in),
             row_major(v.weights.data(), v.channels_out, v.channels_in).transposed(),
             {y.data(), v.channels_out, v.bias.empty() ? nullptr : v.bias.data()}, threads);
}

template <class Real>
void linear_backward(const Linear<Real>& v, std::span<const Real> d_y, const LinearGradients<Real>& gradients,
                     Threads& threads) {
  check_sizes(v, d_y.size());
  PMTR_CHECK((gradients.x.empty() || gradients.x.size() == v.x.size()) &&
             (gradients.weights.empty() || gradients.weights.size() == v.weights.size()) &&
             (gradients.bias.empty() || matches(gradients.bias.size(), v.channels_out, 1)));
  const MatrixView<Real> dy = row_major(d_y.data(), v.rows, v.channels_out);
  if (!gradients.x.empty()) {
    gemm<Real>(dy, row_major(v.weights.data(), v.channels_out, v.channels_in),
               {gradients.x.data(), v.channels_in}, threads);
  }
  if (!gradients.weights.empty()) {
    gemm<Real>(dy.transposed(), row_major(v.x.data(), v.rows, v.channels_in),
               {gradients.weights.data(), v.channels_in}, threads);
  }
  if (!gradients.bias.empty()) sum_rows(d_y.data(), v.rows, v.channels_out, gradients.bias.data(), threads);
}

#define PMTR_INSTANTIATE(Real)                                                                            \
  template void linear_forward(const Linear<Real>&, std::span<Real>, Threads&);                           \
  template void linear_backward(const Linear<Real>&, std::span<const Real>, const LinearGradients<Real>&, \
                                Threads&);
PMTR_INSTANTIATE(float)
PMTR_INSTANTIATE(double)
#undef PMTR_INSTANTIATE

}  // namespace pmtr::kernels
