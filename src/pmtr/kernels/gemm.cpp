// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/gemm.h"

#include <algorithm>
#include <string>

#include "pmtr/core/check.h"
#include "pmtr/kernels/gemm_loops.h"
#include "pmtr/kernels/isa.h"

namespace pmtr::kernels {
namespace {

// Sums longer than this are made of partial sums when the rows of C alone do not feed a team.
constexpr std::int64_t part_depth = 512;
constexpr std::int64_t rows_to_split = 192;

// Few rows or columns, long sums (the gradient of a weight): partial products over equal parts of the depth,
// added in order.
template <class Real>
void gemm_long(const MatrixView<Real>& a, const MatrixView<Real>& b, const GemmTarget<Real>& c,
               Threads& threads) {
  // C^T = B^T A^T when that makes the factor that stays in the cache the smaller one.
  const bool swap = a.rows > 256 && a.rows > b.columns;
  const MatrixView<Real> left = swap ? b.transposed() : a;
  const MatrixView<Real> right = swap ? a.transposed() : b;
  const GemmLoops<Real>& loops = PMTR_PICK(gemm_loops<Real>());
  const std::int64_t parts = (a.columns + part_depth - 1) / part_depth;
  const std::int64_t size = left.rows * right.columns;
  const Scratch<Real> partial((parts + 1) * size);
  threads.parallel_for(parts, 1, [&](std::int64_t part, std::int64_t) {
    const std::int64_t begin = a.columns * part / parts;
    const std::int64_t end = a.columns * (part + 1) / parts;
    const Scratch<Real> scratch(loops.long_scratch);
    loops.multiply_long(left.column_range(begin, end), right.row_range(begin, end),
                        partial.data() + part * size, scratch.data());
  });
  const bool plain = !swap && c.row_step == b.columns && c.bias == nullptr && !c.accumulate;
  Real* sum = plain ? c.data : partial.data() + parts * size;
  threads.parallel_for(size, 16384, [&](std::int64_t begin, std::int64_t end) {
    loops.add_parts(partial.data(), parts, size, begin, end, sum);
  });
  if (plain) return;
  const std::int64_t row_step = swap ? 1 : b.columns;
  const std::int64_t column_step = swap ? a.rows : 1;
  threads.parallel_for(a.rows, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      for (std::int64_t i = 0; i < b.columns; ++i) {
        const Real value = sum[r * row_step + i * column_step] + (c.bias != nullptr ? c.bias[i] : Real(0));
        Real& to = c.data[r * c.row_step + i];
        to = c.accumulate ? to + value : value;
      }
    }
  });
}

}  // namespace

template <class Real>
PackedMatrix<Real>::PackedMatrix(const MatrixView<Real>& b, Threads& threads)
    : loops_(&PMTR_PICK(gemm_loops<Real>())), depth_(b.rows), columns_(b.columns) {
  const std::int64_t width = loops_->panel_columns;
  const std::int64_t panels = (b.columns + width - 1) / width;
  panels_ = Scratch<Real>(b.rows * panels * width);
  // Small matrices are packed in less time than it takes to wake a thread.
  const std::int64_t grain = std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, b.rows * width));
  threads.parallel_for(panels, grain, [&](std::int64_t first, std::int64_t last) {
    loops_->pack(b, first, last, panels_.data());
  });
}

template <class Real>
void PackedMatrix<Real>::multiply(const MatrixView<Real>& a, const GemmTarget<Real>& c) const {
  PMTR_CHECK(a.columns == depth_,
             "A has " + std::to_string(a.columns) + " columns, B has " + std::to_string(depth_) + " rows");
  if (a.rows == 0 || columns_ == 0) return;
  const Scratch<Real> scratch(a.column_step == 1 ? 0 : loops_->multiply_scratch);
  loops_->multiply(a, panels_.data(), columns_, c, scratch.data());
}

template <class Real>
void gemm(const MatrixView<Real>& a, const MatrixView<Real>& b, const GemmTarget<Real>& c, Threads& threads) {
  PMTR_CHECK(a.columns == b.rows,
             "A has " + std::to_string(a.columns) + " columns, B has " + std::to_string(b.rows) + " rows");
  if (a.rows == 0 || b.columns == 0) return;
  const bool rows_are_contiguous = a.column_step == 1;
  if (a.columns > part_depth && (a.rows < rows_to_split || !rows_are_contiguous)) {
    gemm_long(a, b, c, threads);
    return;
  }
  const PackedMatrix<Real> packed(b, threads);
  threads.parallel_for(a.rows, a.rows >= 1536 ? 96 : 48, [&](std::int64_t begin, std::int64_t end) {
    GemmTarget<Real> rows = c;
    rows.data += begin * c.row_step;
    packed.multiply(a.row_range(begin, end), rows);
  });
}

template <class Real>
void sum_rows(const Real* a, std::int64_t rows, std::int64_t columns, Real* out, Threads& threads) {
  constexpr std::int64_t chunk = 64;  // short: rounding grows with the length of a sum
  const GemmLoops<Real>& loops = PMTR_PICK(gemm_loops<Real>());
  const std::int64_t parts = (rows + chunk - 1) / chunk;
  const Scratch<Real> partial(parts * columns);
  threads.parallel_for(rows, chunk, [&](std::int64_t begin, std::int64_t end) {
    loops.sum_rows(a, begin, end, columns, partial.data() + begin / chunk * columns);
  });
  loops.add_parts(partial.data(), parts, columns, 0, columns, out);
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;
template void gemm(const MatrixView<float>&, const MatrixView<float>&, const GemmTarget<float>&, Threads&);
template void gemm(const MatrixView<double>&, const MatrixView<double>&, const GemmTarget<double>&, Threads&);
template void sum_rows(const float*, std::int64_t, std::int64_t, float*, Threads&);
template void sum_rows(const double*, std::int64_t, std::int64_t, double*, Threads&);

}  // namespace pmtr::kernels
