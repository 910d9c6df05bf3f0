// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/gemm_loops.h"
#include "pmtr/kernels/simd.h"

namespace pmtr::kernels::PMTR_ISA {

// A tile of 6 rows by 2 vectors fills 12 of 16 registers with sums; 2 hold a row of B, 1 a number of A.
constexpr int tile_rows = 6;
template <class Real>
constexpr int tile_columns = 2 * lanes<Real>;
// A panel of B (depth 256 x 16 floats, 16 KB) stays in the L1 cache while block_rows of A pass over it.
constexpr std::int64_t block_depth = 256;
constexpr std::int64_t block_rows = 96;
constexpr std::int64_t long_rows = 264;
constexpr std::int64_t long_panels = 4;

inline std::int64_t depth_blocks(std::int64_t depth) { return (depth + block_depth - 1) / block_depth; }

// Rows [begin, end) of one panel of B as [depth][tile_columns], zeros beyond the last column.
template <class Real>
void pack_panel(const MatrixView<Real>& b, std::int64_t panel, std::int64_t begin, std::int64_t end,
                Real* to) {
  constexpr int width = tile_columns<Real>;
  const Real* from = b.data + begin * b.row_step + panel * width * b.column_step;
  const std::int64_t left = b.columns - panel * width;
  if (left >= width && b.column_step == 1) {
    for (std::int64_t k = begin; k < end; ++k, to += width, from += b.row_step) {
      store<Real>(to, load(from));
      store<Real>(to + lanes<Real>, load(from + lanes<Real>));
    }
  } else {
    for (std::int64_t k = begin; k < end; ++k, to += width, from += b.row_step)
      for (int c = 0; c < width; ++c) to[c] = c < left ? from[c * b.column_step] : Real(0);
  }
}

// The layout of a packed B: by block of depth, then by panel.
template <class Real>
void pack(const MatrixView<Real>& b, std::int64_t first, std::int64_t last, Real* packed) {
  constexpr int width = tile_columns<Real>;
  const std::int64_t panels = (b.columns + width - 1) / width;
  const std::int64_t blocks = depth_blocks(b.rows);
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t begin = b.rows * block / blocks;
    const std::int64_t end = b.rows * (block + 1) / blocks;
    for (std::int64_t panel = first; panel < last; ++panel)
      pack_panel(b, panel, begin, end, packed + begin * panels * width + panel * (end - begin) * width);
  }
}

// Rows [row, row + rows) of A, columns [begin, end), into strips [depth][tile_rows], zeros beyond the last
// row.
template <class Real>
void pack_strips(const MatrixView<Real>& a, std::int64_t row, std::int64_t rows, std::int64_t begin,
                 std::int64_t end, Real* to) {
  const std::int64_t depth = end - begin;
  constexpr std::int64_t run =
      8;  // short runs along the depth, so that the lines of A are read once, in order
  for (std::int64_t k0 = 0; k0 < depth; k0 += run) {
    const std::int64_t k1 = k0 + run < depth ? k0 + run : depth;
    for (std::int64_t strip = 0; strip < rows; strip += tile_rows) {
      const Real* from = a.data + (row + strip) * a.row_step + (begin + k0) * a.column_step;
      Real* out = to + strip * depth + k0 * tile_rows;
      const std::int64_t left = rows - strip;
      if (left >= tile_rows && a.row_step == 1) {
        for (std::int64_t k = k0; k < k1; ++k, out += tile_rows, from += a.column_step)
          __builtin_memcpy(out, from, tile_rows * sizeof(Real));
      } else {
        for (std::int64_t k = k0; k < k1; ++k, out += tile_rows, from += a.column_step)
          for (int r = 0; r < tile_rows; ++r) out[r] = r < left ? from[r * a.row_step] : Real(0);
      }
    }
  }
}

template <class Real>
struct Tile {
  Vec<Real> sum[tile_rows][2];
};

template <class Real>
inline void add_row(Tile<Real>& tile, const Real* b, const Real (&a)[tile_rows]) {
  const Vec<Real> b0 = load(b);
  const Vec<Real> b1 = load(b + lanes<Real>);
  PMTR_UNROLL
  for (int r = 0; r < tile_rows; ++r) {
    const Vec<Real> ar = splat(a[r]);
    tile.sum[r][0] += ar * b0;
    tile.sum[r][1] += ar * b1;
  }
}

// A as it lies, rows contiguous: no copy, six streams. Rows beyond the last repeat it and are not stored.
template <class Real>
inline void sum_direct(Tile<Real>& tile, const Real* a, std::int64_t step, std::int64_t rows, const Real* b,
                       std::int64_t depth) {
  const Real* row[tile_rows];
  PMTR_UNROLL
  for (int r = 0; r < tile_rows; ++r) row[r] = a + (r < rows ? r : rows - 1) * step;
  for (std::int64_t k = 0; k < depth; ++k, b += tile_columns<Real>) {
    const Real ak[tile_rows] = {row[0][k], row[1][k], row[2][k], row[3][k], row[4][k], row[5][k]};
    add_row(tile, b, ak);
  }
}

template <class Real>
inline void sum_packed(Tile<Real>& tile, const Real* a, const Real* b, std::int64_t depth) {
  for (std::int64_t k = 0; k < depth; ++k, b += tile_columns<Real>, a += tile_rows) {
    const Real ak[tile_rows] = {a[0], a[1], a[2], a[3], a[4], a[5]};
    add_row(tile, b, ak);
  }
}

template <class Real>
inline void finish(const Tile<Real>& tile, std::int64_t rows, std::int64_t columns, Real* c,
                   std::int64_t step, const Real* bias, bool add) {
  if (rows >= tile_rows && columns >= tile_columns<Real>) {
    const Vec<Real> bias0 = bias != nullptr ? load(bias) : Vec<Real>{};
    const Vec<Real> bias1 = bias != nullptr ? load(bias + lanes<Real>) : Vec<Real>{};
    PMTR_UNROLL
    for (int r = 0; r < tile_rows; ++r, c += step) {
      Vec<Real> c0 = tile.sum[r][0] + bias0;
      Vec<Real> c1 = tile.sum[r][1] + bias1;
      if (add) {
        c0 += load(c);
        c1 += load(c + lanes<Real>);
      }
      store<Real>(c, c0);
      store<Real>(c + lanes<Real>, c1);
    }
    return;
  }
  for (int r = 0; r < tile_rows && r < rows; ++r, c += step) {
    for (int i = 0; i < tile_columns<Real> && i < columns; ++i) {
      const Real sum = tile.sum[r][i / lanes<Real>][i % lanes<Real>] + (bias != nullptr ? bias[i] : Real(0));
      c[i] = add ? sum + c[i] : sum;
    }
  }
}

template <class Real>
void multiply(const MatrixView<Real>& a, const Real* packed, std::int64_t columns, const GemmTarget<Real>& c,
              Real* scratch) {
  constexpr int width = tile_columns<Real>;
  const std::int64_t panels = (columns + width - 1) / width;
  const std::int64_t depth = a.columns;
  const std::int64_t blocks = depth > 0 ? depth_blocks(depth) : 1;
  const bool direct = a.column_step == 1;
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t begin = depth * block / blocks;
    const std::int64_t end = depth * (block + 1) / blocks;
    const bool add = block > 0 || c.accumulate;
    for (std::int64_t row = 0; row < a.rows; row += block_rows) {
      const std::int64_t rows = a.rows - row < block_rows ? a.rows - row : block_rows;
      if (!direct) pack_strips(a, row, rows, begin, end, scratch);
      for (std::int64_t panel = 0; panel < panels; ++panel) {
        const Real* b = packed + begin * panels * width + panel * (end - begin) * width;
        const Real* bias = block == 0 && c.bias != nullptr ? c.bias + panel * width : nullptr;
        for (std::int64_t strip = 0; strip < rows; strip += tile_rows) {
          Tile<Real> tile = {};
          if (direct) {
            sum_direct(tile, a.data + (row + strip) * a.row_step + begin, a.row_step, rows - strip, b,
                       end - begin);
          } else {
            sum_packed(tile, scratch + strip * (end - begin), b, end - begin);
          }
          finish(tile, rows - strip, columns - panel * width,
                 c.data + (row + strip) * c.row_step + panel * width, c.row_step, bias, add);
        }
      }
    }
  }
}

// For few rows and a long depth: B is read once, so a few panels of it are packed just before use and never
// leave the cache, while all of A's block stays in L2.
template <class Real>
void multiply_long(const MatrixView<Real>& a, const MatrixView<Real>& b, Real* c, Real* scratch) {
  constexpr int width = tile_columns<Real>;
  const std::int64_t panels = (b.columns + width - 1) / width;
  const std::int64_t blocks = depth_blocks(a.columns);
  Real* strips = scratch + long_panels * width * block_depth;
  for (std::int64_t row = 0; row < a.rows; row += long_rows) {
    const std::int64_t rows = a.rows - row < long_rows ? a.rows - row : long_rows;
    for (std::int64_t block = 0; block < blocks; ++block) {
      const std::int64_t begin = a.columns * block / blocks;
      const std::int64_t end = a.columns * (block + 1) / blocks;
      const std::int64_t depth = end - begin;
      pack_strips(a, row, rows, begin, end, strips);
      for (std::int64_t first = 0; first < panels; first += long_panels) {
        const std::int64_t last = first + long_panels < panels ? first + long_panels : panels;
        for (std::int64_t panel = first; panel < last; ++panel)
          pack_panel(b, panel, begin, end, scratch + (panel - first) * depth * width);
        for (std::int64_t panel = first; panel < last; ++panel) {
          for (std::int64_t strip = 0; strip < rows; strip += tile_rows) {
            Tile<Real> tile = {};
            sum_packed(tile, strips + strip * depth, scratch + (panel - first) * depth * width, depth);
            finish<Real>(tile, rows - strip, b.columns - panel * width,
                         c + (row + strip) * b.columns + panel * width, b.columns, nullptr, block > 0);
          }
        }
      }
    }
  }
}

template <class Real>
void sum_rows(const Real* a, std::int64_t begin, std::int64_t end, std::int64_t columns, Real* out) {
  std::int64_t c = 0;
  for (; c + lanes<Real> <= columns; c += lanes<Real>) {
    Vec<Real> sum = {};
    for (std::int64_t r = begin; r < end; ++r) sum += load(a + r * columns + c);
    store<Real>(out + c, sum);
  }
  for (; c < columns; ++c) {
    Real sum = 0;
    for (std::int64_t r = begin; r < end; ++r) sum += a[r * columns + c];
    out[c] = sum;
  }
}

template <class Real>
void add_parts(const Real* partial, std::int64_t parts, std::int64_t step, std::int64_t begin,
               std::int64_t end, Real* out) {
  std::int64_t i = begin;
  for (; i + lanes<Real> <= end; i += lanes<Real>) {
    Vec<Real> sum = {};
    for (std::int64_t part = 0; part < parts; ++part) sum += load(partial + part * step + i);
    store<Real>(out + i, sum);
  }
  for (; i < end; ++i) {
    Real sum = 0;
    for (std::int64_t part = 0; part < parts; ++part) sum += partial[part * step + i];
    out[i] = sum;
  }
}

template <class Real>
const GemmLoops<Real>& gemm_loops() {
  static constexpr GemmLoops<Real> loops = {tile_columns<Real>,
                                            block_rows * block_depth,
                                            (long_rows + long_panels * tile_columns<Real>)*block_depth,
                                            pack<Real>,
                                            multiply<Real>,
                                            multiply_long<Real>,
                                            sum_rows<Real>,
                                            add_parts<Real>};
  return loops;
}

template const GemmLoops<float>& gemm_loops<float>();
template const GemmLoops<double>& gemm_loops<double>();

}  // namespace pmtr::kernels::PMTR_ISA
