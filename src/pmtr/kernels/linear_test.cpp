// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/linear.h"

#include "pmtr/kernels/kernel_test_support.h"

namespace pmtr::kernels {
namespace {

template <class Real>
struct Case {
  std::vector<Real> x, weights, bias;
  Linear<Real> linear;

  Case(std::int64_t rows, std::int64_t cin, std::int64_t cout, Random& random)
      : x(random_values<Real>(rows * cin, random)),
        weights(random_values<Real>(cout * cin, random)),
        bias(random_values<Real>(cout, random)),
        linear{rows, cin, cout, x, weights, bias} {}
};

template <class Real>
std::vector<double> plain_linear(const Linear<Real>& v) {
  std::vector<double> y;
  for (std::size_t r = 0; r < static_cast<std::size_t>(v.rows); ++r) {
    for (std::size_t o = 0; o < static_cast<std::size_t>(v.channels_out); ++o) {
      double sum = v.bias.empty() ? 0 : static_cast<double>(v.bias[o]);
      const auto cin = static_cast<std::size_t>(v.channels_in);
      for (std::size_t c = 0; c < cin; ++c)
        sum += static_cast<double>(v.x[r * cin + c]) * static_cast<double>(v.weights[o * cin + c]);
      y.push_back(sum);
    }
  }
  return y;
}

struct Shape {
  std::int64_t rows, cin, cout;
};

const std::vector<Shape> shapes = {{0, 3, 4},     {1, 1, 1},      {5, 7, 3},     {300, 64, 32},
                                   {600, 33, 17}, {700, 20, 300}, {530, 300, 20}};

TEST(Linear, MatchesTheDefinition) {
  with_every_isa([] {
    Random random(1);
    for (const Shape& s : shapes) {
      SCOPED_TRACE(testing::Message() << s.rows << "x" << s.cin << "->" << s.cout);
      Case<float> example(s.rows, s.cin, s.cout, random);
      std::vector<float> y(static_cast<std::size_t>(s.rows * s.cout));
      Threads threads(2);
      linear_forward<float>(example.linear, y, threads);
      expect_close(y, plain_linear(example.linear), std::sqrt(static_cast<double>(s.cin)) + 1, 6);
      example.linear.bias = {};
      linear_forward<float>(example.linear, y, threads);
      expect_close(y, plain_linear(example.linear), std::sqrt(static_cast<double>(s.cin)) + 1, 6);
    }
  });
}

TEST(Linear, GradientsMatchFiniteDifferences) {
  with_every_isa([] {
    Random random(2);
    for (const Shape& s : std::vector<Shape>{{1, 1, 1}, {5, 7, 3}, {11, 9, 17}, {600, 3, 2}}) {
      Case<double> example(s.rows, s.cin, s.cout, random);
      const auto d_y = random_values<double>(s.rows * s.cout, random);
      std::vector<double> y(d_y.size()), d_x(example.x.size()), d_weights(example.weights.size()),
          d_bias(example.bias.size());
      Threads threads(2);
      linear_backward<double>(example.linear, d_y, {d_x, d_weights, d_bias}, threads);
      const auto loss = [&] {
        linear_forward<double>(example.linear, y, Threads::none());
        return dot(y, d_y);
      };
      expect_gradient(example.x, d_x, loss);
      expect_gradient(example.weights, d_weights, loss);
      expect_gradient(example.bias, d_bias, loss);
    }
  });
}

TEST(Linear, FloatGradientsMatchDouble) {
  with_every_isa([] {
    Random random(3);
    for (const Shape& s : shapes) {
      const Case<float> fast(s.rows, s.cin, s.cout, random);
      const auto d_y = random_values<float>(s.rows * s.cout, random);
      const std::vector<double> x(fast.x.begin(), fast.x.end()), w(fast.weights.begin(), fast.weights.end()),
          d_y_exact(d_y.begin(), d_y.end());
      const Linear<double> exact{s.rows, s.cin, s.cout, x, w, {}};
      std::vector<float> d_x(x.size()), d_w(w.size()), d_b(fast.bias.size());
      std::vector<double> d_x_exact(x.size()), d_w_exact(w.size()), d_b_exact(d_b.size());
      Threads threads(3);
      linear_backward<float>(fast.linear, d_y, {d_x, d_w, d_b}, threads);
      linear_backward<double>(exact, d_y_exact, {d_x_exact, d_w_exact, d_b_exact}, threads);
      expect_close(d_x, d_x_exact, std::sqrt(static_cast<double>(s.cout)) + 1, 6);
      expect_close(d_w, d_w_exact, std::sqrt(static_cast<double>(s.rows)) + 1, 6);
      expect_close(d_b, d_b_exact, std::sqrt(static_cast<double>(s.rows)) + 1, 6);
    }
  });
}

TEST(Linear, GivesTheSameBitsWithAnyTeam) {
  Random random(4);
  const Case<float> example(800, 40, 24, random);
  const auto d_y = random_values<float>(800 * 24, random);
  expect_same_bits([&](Threads& threads) {
    std::vector<float> all(800 * 24 + 800 * 40 + 24 * 40 + 24);
    const std::span<float> span = all;
    linear_forward<float>(example.linear, span.first(800 * 24), threads);
    linear_backward<float>(example.linear, d_y,
                           {span.subspan(800 * 24, 800 * 40), span.subspan(800 * 64, 24 * 40), span.last(24)},
                           threads);
    return all;
  });
}

}  // namespace
}  // namespace pmtr::kernels
