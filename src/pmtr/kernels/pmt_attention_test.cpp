// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/pmt_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "pmtr/core/random.h"
#include "pmtr/kernels/cpu.h"
#include "support/largest_difference.h"

namespace pmtr::kernels {
namespace {

using test::largest_difference;

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

template <class Real>
struct Case {
  std::int64_t points = 0;
  std::int64_t table_width = 0;  // 0: lists
  std::int64_t first = 0;
  std::int64_t width = 0;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> offsets;
  std::vector<Real> lengths, input, weights;  // weights of the outputs in a scalar loss
  PmtAttentionMlp<Real> mlp;

  AttentionEdges edges() const {
    return table_width > 0 ? AttentionEdges::table(points, table_width, indices.data(), first)
                           : AttentionEdges::lists(points, offsets.data(), indices.data(), first);
  }
};

/// Pads are spread over the rows, some rows are all pads; lengths there are NaN, so nobody may read them.
Case<double> random_case(std::int64_t points, std::int64_t table_width, std::int64_t width,
                         std::uint64_t seed) {
  Random random(seed);
  Case<double> c;
  c.points = points;
  c.table_width = table_width;
  c.first = static_cast<std::int64_t>(random.below(3)) * 5;
  c.width = width;
  c.offsets.push_back(17);  // lists may start anywhere
  for (std::int64_t n = 0; n < points; ++n) {
    const auto row = table_width > 0 ? table_width : static_cast<std::int64_t>(random.below(12));
    const bool empty = random.uniform() < 0.1;
    const bool full = random.uniform() < 0.3;
    for (std::int64_t j = 0; j < row; ++j) {
      const bool pad = empty || (!full && random.uniform() < 0.2);
      const auto neighbour = pad ? points : static_cast<std::int64_t>(random.below(points));
      c.indices.push_back(static_cast<std::int32_t>(c.first + neighbour));
      c.lengths.push_back(pad ? not_a_number : static_cast<float>(random.uniform()));
    }
    c.offsets.push_back(c.offsets.back() + row);
  }
  const auto number = [&] { return static_cast<double>(static_cast<float>(random.normal())); };
  c.input.resize(points * width);
  c.weights.resize(points * width);
  std::generate(c.input.begin(), c.input.end(), number);
  std::generate(c.weights.begin(), c.weights.end(), number);
  for (int k = 0; k < 4; ++k) {
    c.mlp.weight1[k] = number();
    c.mlp.bias1[k] = 0.3 * k;
    c.mlp.bias2[k] = number();
    for (int h = 0; h < 4; ++h) c.mlp.weight2[h][k] = number();
  }
  c.mlp.bias1[3] = -0.5;  // a hidden unit on both sides of its kink
  c.mlp.weight1[3] = 1;
  return c;
}

template <class Real>
Case<Real> as(const Case<double>& c) {
  Case<Real> out;
  out.points = c.points;
  out.table_width = c.table_width;
  out.first = c.first;
  out.width = c.width;
  out.indices = c.indices;
  out.offsets = c.offsets;
  out.lengths.assign(c.lengths.begin(), c.lengths.end());
  out.input.assign(c.input.begin(), c.input.end());
  out.weights.assign(c.weights.begin(), c.weights.end());
  for (int k = 0; k < 4; ++k) {
    out.mlp.weight1[k] = static_cast<Real>(c.mlp.weight1[k]);
    out.mlp.bias1[k] = static_cast<Real>(c.mlp.bias1[k]);
    out.mlp.bias2[k] = static_cast<Real>(c.mlp.bias2[k]);
    for (int h = 0; h < 4; ++h) out.mlp.weight2[h][k] = static_cast<Real>(c.mlp.weight2[h][k]);
  }
  return out;
}

std::vector<double> reference(const Case<double>& c) {
  std::vector<double> output(c.points * c.width, 0.0);
  for (std::int64_t n = 0; n < c.points; ++n) {
    const auto begin = c.offsets[n] - c.offsets[0];
    const auto end = c.offsets[n + 1] - c.offsets[0];
    for (int h = 0; h < 4; ++h) {
      std::vector<double> share(end - begin, 0.0);
      double sum = 0;
      for (auto e = begin; e < end; ++e) {
        if (c.indices[e] - c.first == c.points) continue;
        double logit = c.mlp.bias2[h];
        for (int k = 0; k < 4; ++k)
          logit += c.mlp.weight2[h][k] * std::max(0.0, c.mlp.weight1[k] * c.lengths[e] + c.mlp.bias1[k]);
        share[e - begin] = std::exp(logit);
        sum += share[e - begin];
      }
      for (auto e = begin; e < end; ++e) {
        if (c.indices[e] - c.first == c.points) continue;
        const double* from = c.input.data() + (c.indices[e] - c.first) * c.width;
        for (std::int64_t k = h; k < c.width; k += 4)
          output[n * c.width + k] += share[e - begin] / sum * from[k];
      }
    }
  }
  return output;
}

template <class Real>
struct Forward {
  std::vector<Real> attention, output;
  bool operator==(const Forward&) const = default;
};

template <class Real>
Forward<Real> forward(const Case<Real>& c, Threads& threads = Threads::none()) {
  Forward<Real> f;
  f.attention.assign(4 * c.lengths.size(), Real(7));
  f.output.assign(c.input.size(), Real(7));
  pmt_attention_forward<Real>(c.edges(), c.lengths, c.mlp, c.input, c.width, threads, f.attention, f.output);
  return f;
}

/// d_input, then the 28 numbers of the MLP.
template <class Real>
std::vector<Real> backward(const Case<Real>& c, Threads& threads = Threads::none()) {
  const auto f = forward(c);
  std::vector<Real> d_input(c.input.size(), Real(7));
  const auto d_mlp = pmt_attention_backward<Real>(c.edges(), invert_edges(c.edges()), c.lengths, c.mlp,
                                                  f.attention, c.input, c.width, c.weights, threads, d_input);
  const auto* begin = reinterpret_cast<const Real*>(&d_mlp);
  static_assert(sizeof d_mlp == 28 * sizeof(Real));
  d_input.insert(d_input.end(), begin, begin + 28);
  return d_input;
}

double loss(const Case<double>& c) {
  const auto output = reference(c);
  double sum = 0;
  for (std::size_t k = 0; k < output.size(); ++k) sum += output[k] * c.weights[k];
  return sum;
}

class PmtAttention : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { force_portable(GetParam()); }
  void TearDown() override { force_portable(false); }
};
INSTANTIATE_TEST_SUITE_P(Loops, PmtAttention, testing::Values(false, true),
                         [](const auto& which) { return which.param ? "portable" : "best"; });

TEST_P(PmtAttention, EqualsTheDefinition) {
  std::uint64_t seed = 1;
  for (const std::int64_t points : {1, 2, 7, 65, 150}) {
    for (const std::int64_t table_width : {0, 1, 2, 7, 32, 35}) {
      for (const std::int64_t width : {4, 8, 12, 16, 20, 64, 128, 256, 516}) {
        const auto c = random_case(points, table_width, width, ++seed);
        const auto expected = reference(c);
        ASSERT_LT(largest_difference(forward(c).output, expected), 1e-13)
            << points << " " << table_width << " " << width;
        ASSERT_LT(largest_difference(forward(as<float>(c)).output, expected), 5e-6)
            << points << " " << table_width << " " << width;
      }
    }
  }
}

TEST_P(PmtAttention, SharesOfAPointSumToOneAndPadsGetNothing) {
  const auto c = as<float>(random_case(40, 9, 8, 3));
  const auto f = forward(c);
  for (std::int64_t n = 0; n < 40; ++n) {
    for (int h = 0; h < 4; ++h) {
      float sum = 0;
      bool any = false;
      for (std::int64_t j = 0; j < 9; ++j) {
        const float share = f.attention[(n * 9 + j) * 4 + h];
        const bool pad = c.indices[n * 9 + j] - c.first == 40;
        if (pad) {
          EXPECT_EQ(share, 0);
        }
        any = any || !pad;
        sum += share;
      }
      EXPECT_NEAR(sum, any ? 1 : 0, 1e-6);
    }
  }
}

TEST_P(PmtAttention, LargeLogitsDoNotOverflow) {
  auto c = as<float>(random_case(20, 5, 8, 4));
  for (auto& row : c.mlp.weight2) {
    for (float& w : row) w *= 1000;
  }
  for (const float y : forward(c).output) EXPECT_TRUE(std::isfinite(y));
}

TEST_P(PmtAttention, GradientIsThatOfTheDefinition) {
  for (const auto& [points, table_width, width] :
       {std::array{1, 3, 4}, {9, 5, 8}, {12, 0, 12}, {70, 4, 36}}) {
    auto c = random_case(points, table_width, width, 5);
    const auto gradient = backward(c);
    const double step = 1e-6;
    std::size_t k = 0;
    const auto check = [&](double& x) {
      const double centre = x;
      x = centre + step;
      const double above = loss(c);
      x = centre - step;
      const double below = loss(c);
      x = centre;
      ASSERT_NEAR(gradient[k], (above - below) / (2 * step), 1e-6) << k;
      ++k;
    };
    // All inputs of a small case, some of a large one.
    for (std::size_t i = 0; i < c.input.size(); ++i) {
      if (c.input.size() < 200 || i % 41 == 0) {
        check(c.input[i]);
      } else {
        ++k;
      }
    }
    auto* mlp = reinterpret_cast<double*>(&c.mlp);
    for (int i = 0; i < 28; ++i) check(mlp[i]);
    ASSERT_EQ(k, gradient.size());
  }
}

TEST_P(PmtAttention, FloatGradientIsNearTheDoubleOne) {
  for (const auto& [points, table_width, width] : {std::array{100, 35, 128}, {200, 0, 516}, {33, 32, 20}}) {
    const auto c = random_case(points, table_width, width, 6);
    const auto expected = backward(c);
    const auto got = backward(as<float>(c));
    EXPECT_LT(largest_difference(got, expected), 1e-5 * test::largest_magnitude(expected));
  }
}

TEST_P(PmtAttention, SameBytesWithAnyTeam) {
  const auto c = as<float>(random_case(333, 11, 68, 7));
  const auto f = forward(c);
  const auto gradient = backward(c);
  for (const int count : {2, 3}) {
    Threads threads(count);
    EXPECT_EQ(forward(c, threads), f);
    EXPECT_EQ(backward(c, threads), gradient);
  }
}

TEST_P(PmtAttention, NoPoints) {
  auto c = as<float>(random_case(1, 3, 8, 8));
  c.points = 0;
  c.indices.clear();
  c.lengths.clear();
  c.input.clear();
  c.weights.clear();
  EXPECT_TRUE(forward(c).output.empty());
  EXPECT_EQ(backward(c), std::vector<float>(28, 0.0F));
}

TEST(AttentionEdges, LengthsAndInverse) {
  const std::vector<float> positions{0, 0, 0, 1, 2, 2, 0, 0, -3};
  const std::vector<std::int32_t> indices{10, 11, 13, 11, 12, 10, 12, 13, 13};
  const auto edges = AttentionEdges::table(3, 3, indices.data(), 10);
  std::vector<float> lengths(9);
  edge_lengths<float>(edges, positions, EdgeLength::squared, Threads::none(), lengths);
  EXPECT_THAT(lengths, testing::ElementsAre(0, 9, 0, 0, 30, 9, 0, 0, 0));
  edge_lengths<float>(edges, positions, EdgeLength::euclidean, Threads::none(), lengths);
  EXPECT_THAT(lengths, testing::ElementsAre(0, 3, 0, 0, std::sqrt(30.0F), 3, 0, 0, 0));
  const auto inverse = invert_edges(edges);
  EXPECT_THAT(inverse.begin, testing::ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(inverse.point, testing::ElementsAre(0, 1, 0, 1, 1, 2));
  EXPECT_THAT(inverse.edge, testing::ElementsAre(0, 5, 1, 3, 4, 6));
}

}  // namespace
}  // namespace pmtr::kernels
