// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/kpconv.h"

#include <algorithm>

#include "pmtr/kernels/kernel_test_support.h"

namespace pmtr::kernels {
namespace {

template <class Real>
struct Case {
  std::vector<Real> queries, supports, kernel, features, weights, bias;
  std::vector<std::int32_t> neighbours;
  Kpconv<Real> conv;

  Case(std::int64_t m, std::int64_t n, std::int64_t width, std::int64_t points, std::int64_t cin,
       std::int64_t cout, Random& random)
      : queries(random_values<Real>(m * 3, random)),
        supports(random_values<Real>(n * 3, random)),
        kernel(random_values<Real>(points * 3, random, -0.6, 0.6)),
        features(random_values<Real>(n * cin, random)),
        weights(random_values<Real>(points * cin * cout, random)),
        bias(random_values<Real>(cout, random)) {
    neighbours = random_neighbours(m, n, width, random);
    conv.queries = m;
    conv.supports = n;
    conv.width = width;
    conv.kernel_points = points;
    conv.channels_in = cin;
    conv.channels_out = cout;
    conv.query_positions = queries;
    conv.support_positions = supports;
    conv.neighbours = neighbours;
    conv.kernel_point_positions = kernel;
    conv.sigma = static_cast<Real>(1.1);
    conv.features = features;
    conv.weights = weights;
    conv.bias = bias;
  }
};

// The definition, term by term.
template <class Real>
std::vector<double> plain_kpconv(const Kpconv<Real>& v) {
  const auto at = [](const auto& span, std::int64_t i) {
    return static_cast<double>(span[static_cast<std::size_t>(i)]);
  };
  std::vector<double> out;
  for (std::int64_t i = 0; i < v.queries; ++i) {
    std::vector<double> sum(static_cast<std::size_t>(v.channels_out), 0.0);
    int count = 0;
    for (std::int64_t slot = 0; slot < v.width; ++slot) {
      const std::int64_t j = v.neighbours[static_cast<std::size_t>(i * v.width + slot)];
      if (j == v.supports) continue;
      double total = 0;
      for (std::int64_t c = 0; c < v.channels_in; ++c) total += at(v.features, j * v.channels_in + c);
      count += v.count_all_neighbours || total > 0;
      for (std::int64_t p = 0; p < v.kernel_points; ++p) {
        double squared = 0;
        for (std::int64_t axis = 0; axis < 3; ++axis) {
          const double d = at(v.support_positions, j * 3 + axis) - at(v.query_positions, i * 3 + axis) -
                           at(v.kernel_point_positions, p * 3 + axis);
          squared += d * d;
        }
        const double influence = std::max(0.0, 1 - std::sqrt(squared) / static_cast<double>(v.sigma));
        for (std::int64_t c = 0; c < v.channels_in; ++c)
          for (std::int64_t o = 0; o < v.channels_out; ++o)
            sum[static_cast<std::size_t>(o)] += influence * at(v.features, j * v.channels_in + c) *
                                                at(v.weights, (p * v.channels_in + c) * v.channels_out + o);
      }
    }
    for (std::int64_t o = 0; o < v.channels_out; ++o)
      out.push_back(sum[static_cast<std::size_t>(o)] / std::max(1, count) +
                    (v.bias.empty() ? 0 : at(v.bias, o)));
  }
  return out;
}

struct Shape {
  std::int64_t m, n, width, points, cin, cout;
};

const std::vector<Shape> shapes = {{0, 4, 3, 15, 8, 8},     {3, 0, 2, 15, 4, 4},      {1, 1, 1, 15, 1, 1},
                                   {40, 30, 35, 15, 1, 64}, {50, 60, 9, 15, 32, 32},  {37, 20, 1, 15, 19, 13},
                                   {29, 33, 7, 1, 3, 5},    {70, 64, 12, 13, 64, 20}, {20, 9, 6, 16, 24, 3},
                                   {4, 5, 0, 15, 8, 8}};

template <class Real>
void test_forward(const Shape& s, bool all, Random& random) {
  SCOPED_TRACE(testing::Message() << s.m << " of " << s.n << " x" << s.width << ", " << s.points
                                  << " points, " << s.cin << "->" << s.cout);
  Case<Real> example(s.m, s.n, s.width, s.points, s.cin, s.cout, random);
  example.conv.count_all_neighbours = all;
  if (all) example.conv.bias = {};
  std::vector<Real> out(static_cast<std::size_t>(s.m * s.cout)), kept(out.size());
  std::vector<Real> aggregate(static_cast<std::size_t>(s.m * s.points * s.cin));
  Threads threads(2);
  kpconv_forward<Real>(example.conv, out, {}, threads);
  kpconv_forward<Real>(example.conv, kept, aggregate, threads);
  EXPECT_EQ(out, kept);
  expect_close(out, plain_kpconv(example.conv), std::sqrt(static_cast<double>(s.points * s.cin)) + 2, 20);
}

TEST(Kpconv, MatchesTheDefinition) {
  with_every_isa([] {
    Random random(1);
    for (const Shape& shape : shapes) {
      for (const bool all : {false, true}) {
        test_forward<float>(shape, all, random);
        test_forward<double>(shape, all, random);
      }
    }
  });
}

TEST(Kpconv, GradientsMatchFiniteDifferences) {
  with_every_isa([] {
    Random random(2);
    for (const Shape& s : std::vector<Shape>{{7, 6, 5, 15, 3, 4},
                                             {9, 11, 8, 15, 9, 2},
                                             {70, 4, 2, 3, 1, 2},
                                             {1, 1, 1, 15, 1, 1},
                                             {12, 5, 7, 4, 17, 3}}) {
      for (const bool all : {false, true}) {
        Case<double> example(s.m, s.n, s.width, s.points, s.cin, s.cout, random);
        example.conv.count_all_neighbours = all;
        std::vector<double> out(static_cast<std::size_t>(s.m * s.cout));
        std::vector<double> aggregate(static_cast<std::size_t>(s.m * s.points * s.cin));
        const auto d_out = random_values<double>(s.m * s.cout, random);
        std::vector<double> d_features(example.features.size()), d_weights(example.weights.size()),
            d_bias(example.bias.size());
        Threads threads(2);
        kpconv_forward<double>(example.conv, out, aggregate, threads);
        kpconv_backward<double>(example.conv, d_out, aggregate, {d_features, d_weights, d_bias}, threads);
        const auto loss = [&] {
          kpconv_forward<double>(example.conv, out, {}, Threads::none());
          return dot(out, d_out);
        };
        expect_gradient(example.features, d_features, loss);
        expect_gradient(example.weights, d_weights, loss);
        expect_gradient(example.bias, d_bias, loss);
        // Without the kept aggregates: the same numbers.
        std::vector<double> again(d_weights.size());
        kpconv_backward<double>(example.conv, d_out, {}, {{}, again, {}}, threads);
        EXPECT_EQ(again, d_weights);
      }
    }
  });
}

// The float gradients against the double ones, at sizes where every vector loop runs.
TEST(Kpconv, FloatGradientsMatchDouble) {
  with_every_isa([] {
    for (const Shape& s : shapes) {
      Random random(3), same(3);
      const Case<float> fast(s.m, s.n, s.width, s.points, s.cin, s.cout, random);
      Case<double> exact(s.m, s.n, s.width, s.points, s.cin, s.cout, same);
      // The same numbers, rounded the same way.
      const auto copy = [](const std::vector<float>& from, std::vector<double>& to) {
        std::copy(from.begin(), from.end(), to.begin());
      };
      copy(fast.queries, exact.queries);
      copy(fast.supports, exact.supports);
      copy(fast.kernel, exact.kernel);
      copy(fast.features, exact.features);
      copy(fast.weights, exact.weights);
      const auto d_out = random_values<float>(s.m * s.cout, random);
      const std::vector<double> d_out_exact(d_out.begin(), d_out.end());
      std::vector<float> features(fast.features.size()), weights(fast.weights.size()), bias(fast.bias.size());
      std::vector<double> features_exact(features.size()), weights_exact(weights.size()),
          bias_exact(bias.size());
      Threads threads(2);
      kpconv_backward<float>(fast.conv, d_out, {}, {features, weights, bias}, threads);
      kpconv_backward<double>(exact.conv, d_out_exact, {}, {features_exact, weights_exact, bias_exact},
                              threads);
      const double scale = std::sqrt(static_cast<double>(s.m * s.points * s.cout)) + 2;
      expect_close(features, features_exact, scale, 10);
      expect_close(weights, weights_exact, scale, 10);
      expect_close(bias, bias_exact, scale, 10);
    }
  });
}

TEST(Kpconv, GivesTheSameBitsWithAnyTeam) {
  Random random(4);
  const Case<float> example(900, 700, 20, 15, 20, 24, random);
  const auto d_out = random_values<float>(900 * 24, random);
  expect_same_bits([&](Threads& threads) {
    std::vector<float> all(900 * 24 + 700 * 20 + 15 * 20 * 24 + 24);
    const std::span<float> span = all;
    kpconv_forward<float>(example.conv, span.first(900 * 24), {}, threads);
    kpconv_backward<float>(
        example.conv, d_out, {},
        {span.subspan(900 * 24, 700 * 20), span.subspan(900 * 24 + 700 * 20, 15 * 20 * 24), span.last(24)},
        threads);
    return all;
  });
}

TEST(Kpconv, IgnoresIndicesOutsideTheSupports) {
  Random random(5);
  Case<float> example(6, 4, 3, 15, 8, 8, random);
  std::vector<float> wanted(48), got(48);
  kpconv_forward<float>(example.conv, wanted, {}, Threads::none());
  for (std::int32_t& j : example.neighbours) j = j == 4 ? (random.uniform() < 0.5 ? -1 : 1 << 30) : j;
  kpconv_forward<float>(example.conv, got, {}, Threads::none());
  EXPECT_EQ(got, wanted);
}

}  // namespace
}  // namespace pmtr::kernels
