// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/kpconv.h"

#include <algorithm>
#include <limits>
#include <string>

#include "pmtr/core/check.h"
#include "pmtr/kernels/gemm.h"
#include "pmtr/kernels/gemm_loops.h"
#include "pmtr/kernels/isa.h"
#include "pmtr/kernels/kpconv_loops.h"

namespace pmtr::kernels {
namespace {

// A tile of aggregates that the matrix product finds in the L2 cache, next to the weights.
constexpr std::int64_t tile_bytes = 256 << 10;

// The gradient of the features is summed in this many copies, each over a fixed range of queries: few,
// because each copy is as large as the features; enough for a small team.
constexpr std::int64_t gradient_copies = 8;

template <class Real>
void check_sizes(const Kpconv<Real>& v) {
  const auto matches = [](std::size_t size, std::int64_t a, std::int64_t b, std::int64_t c = 1) {
    return size == static_cast<std::size_t>(a * b * c);
  };
  PMTR_CHECK(v.kernel_points > 0 && v.sigma > 0, "kernel points and sigma must be positive");
  PMTR_CHECK(matches(v.query_positions.size(), v.queries, 3) &&
                 matches(v.support_positions.size(), v.supports, 3) &&
                 matches(v.neighbours.size(), v.queries, v.width) &&
                 matches(v.kernel_point_positions.size(), v.kernel_points, 3) &&
                 matches(v.features.size(), v.supports, v.channels_in) &&
                 matches(v.weights.size(), v.kernel_points, v.channels_in, v.channels_out) &&
                 (v.bias.empty() || matches(v.bias.size(), v.channels_out, 1)),
             std::to_string(v.queries) + " queries of " + std::to_string(v.width) + " neighbours, " +
                 std::to_string(v.supports) + " supports, " + std::to_string(v.kernel_points) +
                 " kernel points, " + std::to_string(v.channels_in) + " -> " +
                 std::to_string(v.channels_out) + " channels, and a span of another size");
}

// The tables with what they point to.
template <class Real>
struct Prepared {
  const KpconvLoops<Real>& loops;
  KpconvTables<Real> tables;
  Scratch<std::uint8_t> counted;
  Scratch<Real> kernel;
  std::int64_t row_size;   // numbers in a row of aggregates
  std::int64_t tile_rows;  // rows of aggregates per tile

  Prepared(const Kpconv<Real>& conv, Threads& threads)
      : loops(PMTR_PICK(kpconv_loops<Real>())),
        counted(conv.supports),
        row_size(conv.kernel_points * conv.channels_in) {
    const std::int64_t stride = loops.influence_stride(conv.kernel_points);
    kernel = Scratch<Real>(3 * stride);
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      for (std::int64_t p = 0; p < stride; ++p) {
        kernel[axis * stride + p] =
            p < conv.kernel_points ? conv.kernel_point_positions[static_cast<std::size_t>(p * 3 + axis)]
                                   : Real(1e9);  // so far away that its influence is zero, its square finite
      }
    }
    threads.parallel_for(conv.supports, 2048, [&](std::int64_t begin, std::int64_t end) {
      if (conv.count_all_neighbours) {
        std::fill(counted.data() + begin, counted.data() + end, std::uint8_t{1});
      } else {
        loops.count(conv.features.data(), conv.channels_in, begin, end, counted.data());
      }
    });
    tables = {conv.supports,
              conv.width,
              conv.kernel_points,
              conv.channels_in,
              conv.query_positions.data(),
              conv.support_positions.data(),
              conv.neighbours.data(),
              conv.features.data(),
              counted.data(),
              kernel.data(),
              stride,
              conv.sigma};
    const std::int64_t row_bytes = row_size * static_cast<std::int64_t>(sizeof(Real));
    // A multiple of the rows of a tile of the matrix product; at least two chunks per thread at small sizes.
    tile_rows =
        std::clamp<std::int64_t>(tile_bytes / std::max<std::int64_t>(1, row_bytes) / 12 * 12, 12, 192);
  }

  Scratch<Real> influences() const { return Scratch<Real>(tables.width * tables.stride + tables.stride); }
};

}  // namespace

template <class Real>
void kpconv_forward(const Kpconv<Real>& conv, std::span<Real> out, std::span<Real> aggregate,
                    Threads& threads) {
  check_sizes(conv);
  PMTR_CHECK(static_cast<std::int64_t>(out.size()) == conv.queries * conv.channels_out);
  const Prepared<Real> prepared(conv, threads);
  const std::int64_t row_size = prepared.row_size;
  PMTR_CHECK(aggregate.empty() || static_cast<std::int64_t>(aggregate.size()) == conv.queries * row_size);
  const PackedMatrix<Real> weights(row_major(conv.weights.data(), row_size, conv.channels_out), threads);
  threads.parallel_for(conv.queries, prepared.tile_rows, [&](std::int64_t begin, std::int64_t end) {
    const Scratch<Real> influences = prepared.influences();
    const Scratch<std::int64_t> rows(conv.width);
    const Scratch<Real> own(aggregate.empty() ? prepared.tile_rows * row_size : 0);
    Real* tile = aggregate.empty() ? own.data() : aggregate.data() + begin * row_size;
    prepared.loops.aggregate(prepared.tables, begin, end, influences.data(), rows.data(), tile);
    weights.multiply(row_major<Real>(tile, end - begin, row_size),
                     {out.data() + begin * conv.channels_out, conv.channels_out,
                      conv.bias.empty() ? nullptr : conv.bias.data()});
  });
}

namespace {

template <class Real>
void find_feature_gradient(const Kpconv<Real>& conv, const Prepared<Real>& prepared, const Real* d_out,
                           Real* d_features, Threads& threads) {
  const std::int64_t row_size = prepared.row_size;
  const std::int64_t size = conv.supports * conv.channels_in;
  const PackedMatrix<Real> weights(row_major(conv.weights.data(), row_size, conv.channels_out).transposed(),
                                   threads);
  const std::int64_t copies = std::clamp<std::int64_t>(conv.queries / 64, 1, gradient_copies);
  const Scratch<Real> partial(copies * size);
  threads.parallel_for(copies, 1, [&](std::int64_t copy, std::int64_t) {
    const std::int64_t first = conv.queries * copy / copies;
    const std::int64_t last = conv.queries * (copy + 1) / copies;
    const Scratch<Real> influences = prepared.influences();
    const Scratch<std::int64_t> rows(conv.width);
    const Scratch<Real> tile(prepared.tile_rows * row_size);
    Real* sums = partial.data() + copy * size;
    std::fill_n(sums, size, Real(0));
    for (std::int64_t begin = first; begin < last; begin += prepared.tile_rows) {
      const std::int64_t end = std::min(begin + prepared.tile_rows, last);
      weights.multiply(row_major(d_out + begin * conv.channels_out, end - begin, conv.channels_out),
                       {tile.data(), row_size});
      prepared.loops.scatter(prepared.tables, begin, end, tile.data(), influences.data(), rows.data(), sums);
    }
  });
  const GemmLoops<Real>& sums = PMTR_PICK(gemm_loops<Real>());
  threads.parallel_for(size, 16384, [&](std::int64_t begin, std::int64_t end) {
    sums.add_parts(partial.data(), copies, size, begin, end, d_features);
  });
}

}  // namespace

template <class Real>
void kpconv_backward(const Kpconv<Real>& conv, std::span<const Real> d_out, std::span<const Real> aggregate,
                     const KpconvGradients<Real>& gradients, Threads& threads) {
  check_sizes(conv);
  PMTR_CHECK(static_cast<std::int64_t>(d_out.size()) == conv.queries * conv.channels_out);
  const std::int64_t row_size = conv.kernel_points * conv.channels_in;
  PMTR_CHECK(aggregate.empty() || static_cast<std::int64_t>(aggregate.size()) == conv.queries * row_size);
  PMTR_CHECK(
      (gradients.features.empty() || gradients.features.size() == conv.features.size()) &&
      (gradients.weights.empty() || gradients.weights.size() == conv.weights.size()) &&
      (gradients.bias.empty() || static_cast<std::int64_t>(gradients.bias.size()) == conv.channels_out));
  const Prepared<Real> prepared(conv, threads);
  if (!gradients.features.empty())
    find_feature_gradient(conv, prepared, d_out.data(), gradients.features.data(), threads);
  if (!gradients.weights.empty()) {
    const bool again = aggregate.empty();
    const Scratch<Real> own(again ? conv.queries * row_size : 0);
    if (again) {
      threads.parallel_for(conv.queries, prepared.tile_rows, [&](std::int64_t begin, std::int64_t end) {
        const Scratch<Real> influences = prepared.influences();
        const Scratch<std::int64_t> rows(conv.width);
        prepared.loops.aggregate(prepared.tables, begin, end, influences.data(), rows.data(),
                                 own.data() + begin * row_size);
      });
    }
    const Real* rows = again ? own.data() : aggregate.data();
    gemm<Real>(row_major(rows, conv.queries, row_size).transposed(),
               row_major(d_out.data(), conv.queries, conv.channels_out),
               {gradients.weights.data(), conv.channels_out}, threads);
  }
  if (!gradients.bias.empty())
    sum_rows(d_out.data(), conv.queries, conv.channels_out, gradients.bias.data(), threads);
}

#define PMTR_INSTANTIATE(Real)                                                                     \
  template void kpconv_forward(const Kpconv<Real>&, std::span<Real>, std::span<Real>, Threads&);   \
  template void kpconv_backward(const Kpconv<Real>&, std::span<const Real>, std::span<const Real>, \
                                const KpconvGradients<Real>&, Threads&);
PMTR_INSTANTIATE(float)
PMTR_INSTANTIATE(double)
#undef PMTR_INSTANTIATE

}  // namespace pmtr::kernels
