// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/gather.h"

#include <algorithm>

#include "pmtr/kernels/kernel_test_support.h"

namespace pmtr::kernels {
namespace {

struct Case {
  std::vector<std::int32_t> neighbours;
  GatherTable table;

  Case(std::int64_t m, std::int64_t n, std::int64_t width, Random& random) {
    neighbours = random_neighbours(m, n, width, random);
    table = {m, n, width, neighbours};
  }
};

struct Shape {
  std::int64_t m, n, width, channels;
};

const std::vector<Shape> shapes = {{0, 3, 2, 4},    {5, 0, 3, 8},   {1, 1, 1, 1},    {70, 40, 9, 128},
                                   {33, 20, 1, 37}, {90, 7, 5, 65}, {10, 12, 0, 32}, {40, 50, 35, 31}};

template <class Real>
std::vector<Real> plain_max_pool(const GatherTable& table, const std::vector<Real>& features,
                                 std::int64_t channels) {
  std::vector<Real> out;
  for (std::int64_t i = 0; i < table.queries; ++i) {
    for (std::int64_t c = 0; c < channels; ++c) {
      std::vector<Real> row;
      for (std::int64_t slot = 0; slot < table.width; ++slot) {
        const std::int64_t j = table.neighbours[static_cast<std::size_t>(i * table.width + slot)];
        row.push_back(j == table.supports ? Real(0) : features[static_cast<std::size_t>(j * channels + c)]);
      }
      out.push_back(row.empty() ? Real(0) : *std::max_element(row.begin(), row.end()));
    }
  }
  return out;
}

template <class Real>
void test_max_pool(const Shape& s, Random& random) {
  SCOPED_TRACE(testing::Message() << s.m << " of " << s.n << " x" << s.width << ", " << s.channels);
  const Case example(s.m, s.n, s.width, random);
  // Mostly negative, so that the zero of a missing neighbour wins often.
  const auto features = random_values<Real>(s.n * s.channels, random, -1, 0.1);
  std::vector<Real> out(static_cast<std::size_t>(s.m * s.channels)), again(out.size());
  std::vector<std::int32_t> winner(out.size());
  Threads threads(2);
  max_pool_forward<Real>(example.table, features, s.channels, out, winner, threads);
  max_pool_forward<Real>(example.table, features, s.channels, again, {}, threads);
  EXPECT_EQ(out, plain_max_pool(example.table, features, s.channels));
  EXPECT_EQ(out, again);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i) % s.channels;
    ASSERT_EQ(out[i],
              winner[i] < 0 ? Real(0) : features[static_cast<std::size_t>(winner[i] * s.channels + column)]);
  }
}

TEST(MaxPool, MatchesTheDefinition) {
  with_every_isa([] {
    Random random(1);
    for (const Shape& shape : shapes) {
      test_max_pool<float>(shape, random);
      test_max_pool<double>(shape, random);
    }
  });
}

TEST(MaxPool, FirstOfEqualsWins) {
  with_every_isa([] {
    const std::vector<std::int32_t> neighbours = {2, 0, 1};
    const std::vector<float> features(3 * 40, 0.5f);
    std::vector<float> out(40);
    std::vector<std::int32_t> winner(40);
    max_pool_forward<float>({1, 3, 3, neighbours}, features, 40, out, winner, Threads::none());
    EXPECT_EQ(winner, std::vector<std::int32_t>(40, 2));
  });
}

TEST(MaxPool, GradientMatchesFiniteDifferences) {
  Random random(2);
  for (const Shape& s : std::vector<Shape>{{9, 6, 4, 3}, {20, 5, 3, 35}, {1, 1, 1, 1}}) {
    const Case example(s.m, s.n, s.width, random);
    auto features = random_values<double>(s.n * s.channels, random);
    const auto d_out = random_values<double>(s.m * s.channels, random);
    std::vector<double> out(d_out.size()), d_features(features.size(), 3.0);
    std::vector<std::int32_t> winner(out.size());
    Threads threads(2);
    max_pool_forward<double>(example.table, features, s.channels, out, winner, threads);
    max_pool_backward<double>(example.table, winner, d_out, s.channels, d_features, threads);
    expect_gradient(features, d_features, [&] {
      max_pool_forward<double>(example.table, features, s.channels, out, {}, Threads::none());
      return dot(out, d_out);
    });
  }
}

TEST(Nearest, GathersIntoAWiderMatrix) {
  Random random(3);
  for (const Shape& s : shapes) {
    const Case example(s.m, s.n, s.width, random);
    const auto features = random_values<float>(s.n * s.channels, random);
    const std::int64_t step = s.channels + 3;
    for (const bool accumulate : {false, true}) {
      std::vector<float> out(static_cast<std::size_t>(s.m * step), 2.0f), wanted(out);
      for (std::int64_t i = 0; i < s.m; ++i) {
        const std::int64_t j = s.width == 0 ? s.n : example.neighbours[static_cast<std::size_t>(i * s.width)];
        for (std::int64_t c = 0; c < s.channels; ++c) {
          const float value = j == s.n ? 0.0f : features[static_cast<std::size_t>(j * s.channels + c)];
          wanted[static_cast<std::size_t>(i * step + 1 + c)] = accumulate ? 2.0f + value : value;
        }
      }
      Threads threads(2);
      nearest_forward<float>(example.table, features, s.channels, {out.data() + 1, step}, accumulate,
                             threads);
      EXPECT_EQ(out, wanted);
    }
  }
}

TEST(Nearest, GradientMatchesFiniteDifferences) {
  Random random(4);
  for (const Shape& s : std::vector<Shape>{{9, 6, 4, 3}, {20, 5, 3, 35}, {1, 1, 1, 1}}) {
    const Case example(s.m, s.n, s.width, random);
    auto features = random_values<double>(s.n * s.channels, random);
    const auto d_out = random_values<double>(s.m * s.channels, random);
    std::vector<double> out(d_out.size()), d_features(features.size(), 3.0);
    Threads threads(2);
    nearest_backward<double>(example.table, {d_out.data(), s.channels}, s.channels, d_features, threads);
    expect_gradient(features, d_features, [&] {
      nearest_forward<double>(example.table, features, s.channels, {out.data(), s.channels}, false,
                              Threads::none());
      return dot(out, d_out);
    });
  }
}

TEST(Gather, GivesTheSameBitsWithAnyTeam) {
  Random random(5);
  const Case example(600, 300, 12, random);
  const auto features = random_values<float>(300 * 100, random);
  const auto d_out = random_values<float>(600 * 100, random);
  expect_same_bits([&](Threads& threads) {
    std::vector<float> all(2 * 600 * 100 + 2 * 300 * 100);
    const std::span<float> span = all;
    std::vector<std::int32_t> winner(600 * 100);
    max_pool_forward<float>(example.table, features, 100, span.first(60000), winner, threads);
    nearest_forward<float>(example.table, features, 100, {all.data() + 60000, 100}, false, threads);
    max_pool_backward<float>(example.table, winner, d_out, 100, span.subspan(120000, 30000), threads);
    nearest_backward<float>(example.table, {d_out.data(), 100}, 100, span.last(30000), threads);
    return all;
  });
}

}  // namespace
}  // namespace pmtr::kernels
