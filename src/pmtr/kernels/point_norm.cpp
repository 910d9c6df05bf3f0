// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/point_norm.h"

#include <algorithm>
#include <vector>

#include "pmtr/core/check.h"
#include "pmtr/kernels/isa.h"
#include "pmtr/kernels/point_norm_loops.h"

namespace pmtr::kernels {
namespace {

/// Work of about this many numbers is worth handing to a thread.
constexpr std::int64_t numbers_per_chunk = 32768;

std::int64_t grain(std::int64_t row) { return std::max<std::int64_t>(1, numbers_per_chunk / row); }

std::int64_t count_rows(std::size_t numbers, std::int64_t row) {
  PMTR_CHECK(row >= 1 && static_cast<std::int64_t>(numbers) % row == 0, "not a whole number of rows");
  return static_cast<std::int64_t>(numbers) / row;
}

template <class Real>
PointNormData<Real> point_norm_data(const PointNormShape& shape, std::span<const Real> input,
                                    std::span<const Real> weight, std::span<const Real> bias) {
  PMTR_CHECK(shape.factors >= 1 && shape.channels >= 1);
  PMTR_CHECK(static_cast<std::int64_t>(weight.size()) == shape.channels && weight.size() == bias.size(),
             "weight and bias are [channels]");
  PointNormData<Real> data;
  data.factors = shape.factors;
  data.channels = shape.channels;
  data.epsilon = static_cast<Real>(shape.epsilon);
  data.slope = static_cast<Real>(shape.slope);
  data.input = input.data();
  data.weight = weight.data();
  data.bias = bias.data();
  return data;
}

}  // namespace

template <class Real>
void l2_normalise_forward(std::span<const Real> input, std::int64_t channels, Threads& threads,
                          std::span<Real> output) {
  const std::int64_t rows = count_rows(input.size(), channels);
  PMTR_CHECK(output.size() == input.size());
  const auto loop = PMTR_PICK(l2_normalise<Real>);
  threads.parallel_for(rows, grain(channels), [&](std::int64_t begin, std::int64_t end) {
    loop(input.data(), channels, begin, end, output.data());
  });
}

template <class Real>
void l2_normalise_backward(std::span<const Real> input, std::int64_t channels, std::span<const Real> d_output,
                           Threads& threads, std::span<Real> d_input) {
  const std::int64_t rows = count_rows(input.size(), channels);
  PMTR_CHECK(d_output.size() == input.size() && d_input.size() == input.size());
  const auto loop = PMTR_PICK(l2_normalise_reverse<Real>);
  threads.parallel_for(rows, grain(channels), [&](std::int64_t begin, std::int64_t end) {
    loop(input.data(), channels, d_output.data(), begin, end, d_input.data());
  });
}

template <class Real>
void point_norm_forward(const PointNormShape& shape, std::span<const Real> input,
                        std::span<const Real> weight, std::span<const Real> bias, Threads& threads,
                        std::span<Real> output) {
  auto data = point_norm_data(shape, input, weight, bias);
  const std::int64_t row = shape.factors * shape.channels;
  const std::int64_t points = count_rows(input.size(), row);
  PMTR_CHECK(output.size() == input.size());
  data.output = output.data();
  const auto loop = PMTR_PICK(point_norm<Real>);
  threads.parallel_for(points, grain(row),
                       [&](std::int64_t begin, std::int64_t end) { loop(data, begin, end); });
}

template <class Real>
void point_norm_backward(const PointNormShape& shape, std::span<const Real> input,
                         std::span<const Real> weight, std::span<const Real> bias,
                         std::span<const Real> d_output, Threads& threads, std::span<Real> d_input,
                         std::span<Real> d_weight, std::span<Real> d_bias) {
  auto data = point_norm_data(shape, input, weight, bias);
  const std::int64_t row = shape.factors * shape.channels;
  const std::int64_t points = count_rows(input.size(), row);
  PMTR_CHECK(d_output.size() == input.size() && d_input.size() == input.size());
  PMTR_CHECK(d_weight.size() == weight.size() && d_bias.size() == bias.size());
  data.d_output = d_output.data();
  data.d_input = d_input.data();
  const auto loop = PMTR_PICK(point_norm_reverse<Real>);
  const std::int64_t chunk = grain(row);
  const std::int64_t chunks = (points + chunk - 1) / chunk;
  // [chunks, 2, channels], summed in the order of the points whoever worked on them.
  std::vector<Real> parts(chunks * 2 * shape.channels, Real(0));
  threads.parallel_for(points, chunk, [&](std::int64_t begin, std::int64_t end) {
    Real* part = parts.data() + begin / chunk * 2 * shape.channels;
    loop(data, begin, end, part, part + shape.channels);
  });
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    double weight_sum = 0;
    double bias_sum = 0;
    for (std::int64_t k = 0; k < chunks; ++k) {
      weight_sum += static_cast<double>(parts[k * 2 * shape.channels + c]);
      bias_sum += static_cast<double>(parts[(k * 2 + 1) * shape.channels + c]);
    }
    d_weight[c] = static_cast<Real>(weight_sum);
    d_bias[c] = static_cast<Real>(bias_sum);
  }
}

#define PMTR_INSTANTIATE(Real)                                                                              \
  template void l2_normalise_forward<Real>(std::span<const Real>, std::int64_t, Threads&, std::span<Real>); \
  template void l2_normalise_backward<Real>(std::span<const Real>, std::int64_t, std::span<const Real>,     \
                                            Threads&, std::span<Real>);                                     \
  template void point_norm_forward<Real>(const PointNormShape&, std::span<const Real>,                      \
                                         std::span<const Real>, std::span<const Real>, Threads&,            \
                                         std::span<Real>);                                                  \
  template void point_norm_backward<Real>(                                                                  \
      const PointNormShape&, std::span<const Real>, std::span<const Real>, std::span<const Real>,           \
      std::span<const Real>, Threads&, std::span<Real>, std::span<Real>, std::span<Real>);
PMTR_INSTANTIATE(float)
PMTR_INSTANTIATE(double)
#undef PMTR_INSTANTIATE

}  // namespace pmtr::kernels
