// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/gemm.h"

#include <algorithm>

#include "pmtr/kernels/kernel_test_support.h"
#include "pmtr/kernels/peak.h"

namespace pmtr::kernels {
namespace {

template <class Real>
std::vector<double> plain_gemm(const MatrixView<Real>& a, const MatrixView<Real>& b, const Real* bias,
                               const std::vector<Real>* before) {
  std::vector<double> c(static_cast<std::size_t>(a.rows * b.columns));
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < b.columns; ++j) {
      const auto at = static_cast<std::size_t>(i * b.columns + j);
      long double sum = before != nullptr ? static_cast<long double>((*before)[at]) : 0;
      if (bias != nullptr) sum += static_cast<long double>(bias[j]);
      for (std::int64_t k = 0; k < a.columns; ++k) {
        sum += static_cast<long double>(a.data[i * a.row_step + k * a.column_step]) *
               static_cast<long double>(b.data[k * b.row_step + j * b.column_step]);
      }
      c[at] = static_cast<double>(sum);
    }
  }
  return c;
}

struct Shape {
  std::int64_t m, k, n;
};

template <class Real>
void test_shape(const Shape& shape, bool transpose_a, bool transpose_b, bool bias, bool accumulate,
                int threads, Random& random) {
  SCOPED_TRACE(testing::Message() << shape.m << "x" << shape.k << "x" << shape.n
                                  << (transpose_a ? " A^T" : "") << (transpose_b ? " B^T" : "")
                                  << (bias ? " bias" : "") << (accumulate ? " accumulate" : "") << " threads "
                                  << threads);
  const auto a_values = random_values<Real>(shape.m * shape.k, random);
  const auto b_values = random_values<Real>(shape.k * shape.n, random);
  const auto bias_values = random_values<Real>(shape.n, random);
  auto c = random_values<Real>(shape.m * shape.n, random);
  const auto before = c;
  const auto a = transpose_a ? row_major(a_values.data(), shape.k, shape.m).transposed()
                             : row_major(a_values.data(), shape.m, shape.k);
  const auto b = transpose_b ? row_major(b_values.data(), shape.n, shape.k).transposed()
                             : row_major(b_values.data(), shape.k, shape.n);
  const Real* bias_or_none = bias ? bias_values.data() : nullptr;
  Threads team(threads);
  gemm<Real>(a, b, {c.data(), shape.n, bias_or_none, accumulate}, team);
  expect_close(c, plain_gemm(a, b, bias_or_none, accumulate ? &before : nullptr),
               std::sqrt(static_cast<double>(shape.k)) + 2, 6);
}

const std::vector<Shape> shapes = {{0, 5, 7},     {1, 1, 1},     {5, 0, 3},     {6, 16, 16},   {7, 17, 33},
                                   {13, 300, 15}, {97, 64, 32},  {100, 3, 1},   {1, 600, 40},  {200, 520, 48},
                                   {32, 1100, 9}, {270, 700, 5}, {5, 1030, 70}, {300, 513, 20}};

TEST(Gemm, MatchesAPlainProductInEveryLayout) {
  with_every_isa([] {
    Random random(1);
    for (const Shape& shape : shapes) {
      for (int variant = 0; variant < 16; ++variant) {
        const int threads = 1 + static_cast<int>(random.below(3));
        test_shape<float>(shape, variant & 1, variant & 2, variant & 4, variant & 8, threads, random);
        if (variant % 5 == 0)
          test_shape<double>(shape, variant & 1, variant & 2, variant & 4, variant & 8, threads, random);
      }
    }
  });
}

TEST(Gemm, ReadsAndWritesInsideLargerMatrices) {
  with_every_isa([] {
    Random random(2);
    const auto a = random_values<float>(50 * 90, random);
    const auto b = random_values<float>(60 * 70, random);
    std::vector<float> c(50 * 80, 7.0f);
    const MatrixView<float> left = {a.data() + 3, 50, 41, 90, 2};  // every second column: neither step is 1
    const MatrixView<float> right = {b.data() + 5, 41, 20, 70, 3};
    gemm<float>(left, right, {c.data() + 10, 80}, Threads::none());
    const auto wanted = plain_gemm<float>(left, right, nullptr, nullptr);
    for (std::size_t row = 0; row < 50; ++row) {
      for (std::size_t column = 0; column < 80; ++column) {
        const bool inside = column >= 10 && column < 30;
        ASSERT_NEAR(c[row * 80 + column], inside ? wanted[row * 20 + column - 10] : 7.0, 1e-5);
      }
    }
  });
}

TEST(Gemm, SumsRows) {
  with_every_isa([] {
    Random random(3);
    for (const auto& [rows, columns] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 3}, {1, 1}, {256, 8}, {1000, 19}}) {
      const auto a = random_values<float>(rows * columns, random);
      std::vector<float> got(static_cast<std::size_t>(columns), 5.0f);
      std::vector<double> wanted(got.size(), 0.0);
      for (std::size_t i = 0; i < a.size(); ++i) wanted[i % got.size()] += static_cast<double>(a[i]);
      Threads threads(2);
      sum_rows(a.data(), rows, columns, got.data(), threads);
      expect_close(got, wanted, 40, 4);
    }
  });
}

TEST(Gemm, GivesTheSameBitsWithAnyTeam) {
  Random random(4);
  const auto a = random_values<float>(700 * 600, random);
  const auto b = random_values<float>(700 * 40, random);
  expect_same_bits([&](Threads& threads) {
    std::vector<float> c(700 * 40 + 600 * 40 + 40 * 600 + 600);
    // Rows split; sums split; sums split, with the factors swapped.
    gemm<float>(row_major(a.data(), 700, 600), row_major(b.data(), 600, 40), {c.data(), 40}, threads);
    gemm<float>(row_major(b.data(), 700, 40).transposed(), row_major(a.data(), 700, 600),
                {c.data() + 28000, 600}, threads);
    gemm<float>(row_major(a.data(), 700, 600).transposed(), row_major(b.data(), 700, 40),
                {c.data() + 52000, 40}, threads);
    sum_rows(a.data(), 700, 600, c.data() + 76000, threads);
    return c;
  });
}

TEST(Gemm, AResultDoesNotDependOnTheOtherRows) {
  // Inside parallel_for the rows come in pieces: any piece must give what the whole gives.
  with_every_isa([] {
    Random random(5);
    const auto a = random_values<float>(101 * 70, random);
    const auto b = random_values<float>(70 * 37, random);
    const PackedMatrix<float> packed(row_major(b.data(), 70, 37), Threads::none());
    std::vector<float> whole(101 * 37), pieces(101 * 37);
    packed.multiply(row_major(a.data(), 101, 70), {whole.data(), 37});
    for (std::int64_t begin = 0; begin < 101; begin += 13) {
      const std::int64_t end = std::min<std::int64_t>(begin + 13, 101);
      packed.multiply(row_major(a.data(), 101, 70).row_range(begin, end), {pieces.data() + begin * 37, 37});
    }
    EXPECT_EQ(whole, pieces);
  });
}

TEST(Peak, IsARateAndGrowsWithTheInstructionSet) {
  // Whatever else the machine does can only slow them down: each at its best, in turn.
  double portable = 0.0;
  double fastest = 0.0;
  for (int i = 0; i < 10 && fastest <= portable; ++i) {
    force_portable(true);
    portable = std::max(portable, measure_fma_peak(Threads::none()));
    force_portable(false);
    fastest = std::max(fastest, measure_fma_peak(Threads::none()));
  }
  EXPECT_GT(portable, 0.1);
  EXPECT_LT(fastest, 2000);
  if (use_avx2()) {
    EXPECT_GT(fastest, portable);
  }
}

}  // namespace
}  // namespace pmtr::kernels
