// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/pmt_attention.h"

#include <algorithm>
#include <vector>

#include "pmtr/core/check.h"
#include "pmtr/kernels/isa.h"
#include "pmtr/kernels/pmt_attention_loops.h"

namespace pmtr::kernels {
namespace {

constexpr std::int64_t points_per_chunk = 64;

std::int64_t most_edges(const AttentionEdges& edges, std::int64_t begin, std::int64_t end) {
  std::int64_t most = 0;
  for (std::int64_t n = begin; n < end; ++n) most = std::max(most, edges.begin(n + 1) - edges.begin(n));
  return most;
}

template <class Real>
void check_shapes(const AttentionEdges& edges, std::span<const Real> lengths, std::size_t attention,
                  std::size_t input, std::int64_t width, std::size_t output) {
  PMTR_CHECK(width >= 0 && width % pmt_heads == 0, "a row holds a whole number of heads");
  PMTR_CHECK(static_cast<std::int64_t>(lengths.size()) == edges.count(), "one length per edge");
  PMTR_CHECK(static_cast<std::int64_t>(attention) == pmt_heads * edges.count(),
             "attention is [edges, heads]");
  PMTR_CHECK(static_cast<std::int64_t>(input) == edges.points * width, "input is [points, width]");
  PMTR_CHECK(output == input, "output is [points, width]");
}

}  // namespace

template <class Real>
void pmt_attention_forward(const AttentionEdges& edges, std::span<const Real> lengths,
                           const PmtAttentionMlp<Real>& mlp, std::span<const Real> input, std::int64_t width,
                           Threads& threads, std::span<Real> attention, std::span<Real> output) {
  check_shapes(edges, lengths, attention.size(), input.size(), width, output.size());
  PmtAttentionData<Real> data;
  data.edges = edges;
  data.lengths = lengths.data();
  data.mlp = &mlp;
  data.input = input.data();
  data.width = width;
  data.attention = attention.data();
  data.output = output.data();
  const auto loop = PMTR_PICK(attend<Real>);
  threads.parallel_for(edges.points, points_per_chunk, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t most = most_edges(edges, begin, end);
    std::vector<Real> scratch(pmt_attention_scratch(most));
    std::vector<std::int32_t> neighbours(most);
    loop(data, begin, end, scratch.data(), neighbours.data());
  });
}

template <class Real>
PmtAttentionMlp<Real> pmt_attention_backward(const AttentionEdges& edges, const InverseEdges& inverse,
                                             std::span<const Real> lengths, const PmtAttentionMlp<Real>& mlp,
                                             std::span<const Real> attention, std::span<const Real> input,
                                             std::int64_t width, std::span<const Real> d_output,
                                             Threads& threads, std::span<Real> d_input) {
  check_shapes(edges, lengths, attention.size(), input.size(), width, d_output.size());
  PMTR_CHECK(d_input.size() == input.size(), "d_input is [points, width]");
  PMTR_CHECK(static_cast<std::int64_t>(inverse.begin.size()) == edges.points + 1,
             "the inverse of other edges");
  PmtAttentionData<Real> data;
  data.edges = edges;
  data.lengths = lengths.data();
  data.mlp = &mlp;
  data.input = input.data();
  data.width = width;
  data.attention = const_cast<Real*>(attention.data());  // the loops of the backward only read it
  data.inverse_begin = inverse.begin.data();
  data.inverse_point = inverse.point.data();
  data.inverse_edge = inverse.edge.data();
  data.d_output = d_output.data();
  data.d_input = d_input.data();
  PmtAttentionMlp<Real> d_mlp;

  const auto reverse_input = PMTR_PICK(input_reverse<Real>);
  threads.parallel_for(edges.points, points_per_chunk, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t most = 0;
    for (std::int64_t j = begin; j < end; ++j) most = std::max(most, inverse.begin[j + 1] - inverse.begin[j]);
    std::vector<Real> scratch(pmt_attention_scratch(most));
    reverse_input(data, begin, end, scratch.data());
  });

  // A second gather, by rows this time: the gradient of the attention is then used up point by point. Taking
  // it along in the first one would scatter it over memory, and costs more.
  const auto reverse_mlp = PMTR_PICK(mlp_reverse<Real>);
  std::vector<PmtAttentionMlp<Real>> parts((edges.points + points_per_chunk - 1) / points_per_chunk);
  threads.parallel_for(edges.points, points_per_chunk, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t most = most_edges(edges, begin, end);
    std::vector<Real> scratch(pmt_attention_scratch(most));
    std::vector<std::int32_t> neighbours(most);
    reverse_mlp(data, begin, end, scratch.data(), neighbours.data(), parts[begin / points_per_chunk]);
  });

  // In the order of the points, and in double: there may be many parts.
  const auto sum = [&](auto member) {
    double total = 0;
    for (const auto& part : parts) total += static_cast<double>(member(part));
    return static_cast<Real>(total);
  };
  for (int k = 0; k < 4; ++k) {
    d_mlp.weight1[k] = sum([k](const auto& part) { return part.weight1[k]; });
    d_mlp.bias1[k] = sum([k](const auto& part) { return part.bias1[k]; });
    d_mlp.bias2[k] = sum([k](const auto& part) { return part.bias2[k]; });
    for (int h = 0; h < 4; ++h)
      d_mlp.weight2[h][k] = sum([h, k](const auto& part) { return part.weight2[h][k]; });
  }
  return d_mlp;
}

#define PMTR_INSTANTIATE(Real)                                                                         \
  template void pmt_attention_forward<Real>(const AttentionEdges&, std::span<const Real>,              \
                                            const PmtAttentionMlp<Real>&, std::span<const Real>,       \
                                            std::int64_t, Threads&, std::span<Real>, std::span<Real>); \
  template PmtAttentionMlp<Real> pmt_attention_backward<Real>(                                         \
      const AttentionEdges&, const InverseEdges&, std::span<const Real>, const PmtAttentionMlp<Real>&, \
      std::span<const Real>, std::span<const Real>, std::int64_t, std::span<const Real>, Threads&,     \
      std::span<Real>);
PMTR_INSTANTIATE(float)
PMTR_INSTANTIATE(double)
#undef PMTR_INSTANTIATE

}  // namespace pmtr::kernels
