// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/edge_pool.h"

#include <algorithm>

#include "pmtr/kernels/kernel_test_support.h"

namespace pmtr::kernels {
namespace {

template <class Real>
struct Case {
  std::vector<std::int32_t> neighbours;
  std::vector<Real> from, to, edges, weight;
  EdgePool<Real> pool;

  Case(std::int64_t queries, std::int64_t supports, std::int64_t width, std::int64_t channels,
       Random& random) {
    const std::int64_t numbers = EdgePool<Real>::edge_size;
    for (std::int64_t i = 0; i < queries * width; ++i) {
      const bool none =
          supports == 0 || (i / std::max<std::int64_t>(1, width)) % 7 == 3 || random.uniform() < 0.2;
      neighbours.push_back(static_cast<std::int32_t>(
          none ? supports : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(supports)))));
    }
    from = random_values<Real>(supports * channels, random);
    to = random_values<Real>(queries * channels, random);
    edges = random_values<Real>(queries * width * numbers, random);
    weight = random_values<Real>(numbers * channels, random);
    pool.table = {queries, supports, width, neighbours};
    pool.channels = channels;
    pool.from = from;
    pool.to = to;
    pool.edges = edges;
    pool.weight = weight;
  }

  std::vector<Real> run(std::vector<std::int32_t>& winner, Threads& threads = Threads::none()) const {
    std::vector<Real> out(to.size());
    winner.assign(out.size() / 2, -2);
    edge_pool_forward<Real>(pool, out, winner, threads);
    return out;
  }
};

/// What the header says, number by number.
std::vector<double> plain(const Case<float>& c) {
  const EdgePool<float>& p = c.pool;
  std::vector<double> out;
  for (std::int64_t i = 0; i < p.table.queries; ++i)
    for (std::int64_t ch = 0; ch < p.channels; ++ch) {
      std::vector<double> said;
      for (std::int64_t s = 0; s < p.table.width; ++s) {
        const std::int64_t j = c.neighbours[static_cast<std::size_t>(i * p.table.width + s)];
        if (j >= p.table.supports) continue;
        double z = c.from[static_cast<std::size_t>(j * p.channels + ch)] +
                   c.to[static_cast<std::size_t>(i * p.channels + ch)];
        for (std::int64_t e = 0; e < p.edge_size; ++e)
          z += double(c.edges[static_cast<std::size_t>((i * p.table.width + s) * p.edge_size + e)]) *
               c.weight[static_cast<std::size_t>(e * p.channels + ch)];
        said.push_back(z > 0 ? z : 0.1 * z);
      }
      double value = 0;
      if (!said.empty() && ch < p.channels / 2) value = *std::max_element(said.begin(), said.end());
      if (!said.empty() && ch >= p.channels / 2)
        for (const double z : said) value += z / static_cast<double>(said.size());
      out.push_back(value);
    }
  return out;
}

TEST(EdgePool, is_what_its_header_says) {
  Random random(3);
  with_every_isa([&] {
    for (const auto& [q, s, w, c] : std::vector<std::array<std::int64_t, 4>>{
             {70, 40, 9, 32}, {1, 1, 1, 16}, {5, 0, 3, 16}, {0, 3, 2, 16}, {9, 5, 0, 48}}) {
      const Case<float> example(q, s, w, c, random);
      std::vector<std::int32_t> winner;
      expect_close(example.run(winner), plain(example), 8, 8);
    }
  });
}

TEST(EdgePool, its_gradients_are_those_of_finite_differences) {
  Random random(5);
  with_every_isa([&] {
    Case<double> example(9, 6, 4, 32, random);
    const auto wanted = random_values<double>(static_cast<std::int64_t>(example.to.size()), random);
    std::vector<std::int32_t> winner;
    const auto loss = [&] {
      std::vector<std::int32_t> ignored;
      return dot(example.run(ignored), wanted);
    };
    const auto out = example.run(winner);
    std::vector<double> d_from(example.from.size()), d_to(example.to.size()), d_weight(example.weight.size());
    edge_pool_backward<double>(example.pool, out, winner, wanted, {d_from, d_to, d_weight}, Threads::none());
    expect_gradient(example.from, d_from, loss);
    expect_gradient(example.to, d_to, loss);
    expect_gradient(example.weight, d_weight, loss);
  });
}

TEST(EdgePool, gives_the_same_bits_with_any_number_of_threads) {
  Random random(7);
  const Case<float> example(300, 120, 12, 64, random);
  const auto wanted = random_values<float>(static_cast<std::int64_t>(example.to.size()), random);
  expect_same_bits([&](Threads& threads) {
    std::vector<std::int32_t> winner;
    std::vector<float> out = example.run(winner, threads);
    std::vector<float> d_from(example.from.size()), d_to(out.size()), d_weight(example.weight.size());
    edge_pool_backward<float>(example.pool, out, winner, wanted, {d_from, d_to, d_weight}, threads);
    for (const auto* part : {&d_from, &d_to, &d_weight}) out.insert(out.end(), part->begin(), part->end());
    return out;
  });
}

}  // namespace
}  // namespace pmtr::kernels
