// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors

// The kernels at the sizes of one pair of fragments: 4806, 2949 and 918 points on the three levels.
//   bench_kernels --benchmark_filter=kpconv --benchmark_repetitions=5 --benchmark_report_aggregates_only=true

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "pair_of_fragments.h"
#include "pmtr/kernels/gather.h"
#include "pmtr/kernels/gemm.h"
#include "pmtr/kernels/group_norm.h"
#include "pmtr/kernels/kpconv.h"
#include "pmtr/kernels/linear.h"
#include "speed.h"

namespace pmtr::bench {
namespace {

struct GemmCase {
  Size m, k, n;
  bool transposed;  // A is stored as [k, m]
  std::vector<float> a = random_values(m * k), b = random_values(k * n), c = random_values(m * n);

  void call(Threads& threads) {
    const auto left =
        transposed ? kernels::row_major(a.data(), k, m).transposed() : kernels::row_major(a.data(), m, k);
    kernels::gemm<float>(left, kernels::row_major(b.data(), k, n), {c.data(), n}, threads);
  }
  Work work() const { return {2 * product({m, k, n}), bytes({m * k, k * n, m * n})}; }
};

struct KpconvCase {
  kernels::Kpconv<float> conv;
  int part;  // 0 forward, 1 forward that keeps the aggregates, 2 gradients
  std::vector<float> kernel, features, weights, bias, out, d_out, aggregate, d_features, d_weights, d_bias;

  KpconvCase(const std::vector<float>& queries, const std::vector<float>& supports,
             const std::vector<std::int32_t>& neighbours, Size cin, Size cout, double sigma, int which)
      : part(which) {
    conv.queries = static_cast<Size>(queries.size()) / 3;
    conv.supports = static_cast<Size>(supports.size()) / 3;
    conv.width = static_cast<Size>(neighbours.size()) / conv.queries;
    conv.channels_in = cin;
    conv.channels_out = cout;
    conv.sigma = static_cast<float>(sigma);
    kernel = random_values(45, -0.7 * sigma, 0.7 * sigma);
    features = random_values(conv.supports * cin);
    weights = random_values(15 * cin * cout);
    bias = random_values(cout);
    out = d_out = random_values(conv.queries * cout);
    aggregate = random_values(conv.queries * 15 * cin);
    d_features = features;
    d_weights = weights;
    d_bias = bias;
    conv.query_positions = queries;
    conv.support_positions = supports;
    conv.neighbours = neighbours;
    conv.kernel_point_positions = kernel;
    conv.features = features;
    conv.weights = weights;
    conv.bias = bias;
  }

  void call(Threads& threads) {
    if (part == 2) {
      // The one input channel of the first layer is a constant: nobody asks for its gradient.
      const std::span<float> wanted = conv.channels_in == 1 ? std::span<float>() : d_features;
      kernels::kpconv_backward<float>(conv, d_out, aggregate, {wanted, d_weights, d_bias}, threads);
    } else {
      kernels::kpconv_forward<float>(conv, out, part == 1 ? std::span<float>(aggregate) : std::span<float>(),
                                     threads);
    }
  }

  Work work() const {
    const double influence = 10 * product({conv.queries, conv.width, 15});
    const double sums = 2 * product({conv.queries, conv.width, 15, conv.channels_in});
    const double matrix = 2 * product({conv.queries, 15, conv.channels_in, conv.channels_out});
    const double tables = bytes({conv.queries * 3, conv.supports * 3, conv.queries * conv.width});
    const double once = bytes({conv.supports * conv.channels_in, 15 * conv.channels_in * conv.channels_out,
                               conv.queries * conv.channels_out});
    const double kept = part == 0 ? 0 : bytes({conv.queries * 15 * conv.channels_in});
    if (part < 2) return {influence + sums + matrix, tables + once + kept};
    const double features_part = conv.channels_in == 1 ? 0 : influence + sums + matrix;
    return {features_part + matrix, tables + 2 * once + kept};
  }
};

struct LinearCase {
  Size rows, cin, cout;
  bool backward;
  std::vector<float> x = random_values(rows * cin), w = random_values(cin * cout), b = random_values(cout),
                     y = random_values(rows * cout), d_x = x, d_w = w, d_b = b;

  void call(Threads& threads) {
    const kernels::Linear<float> linear{rows, cin, cout, x, w, b};
    if (backward) {
      kernels::linear_backward<float>(linear, y, {d_x, d_w, d_b}, threads);
    } else {
      kernels::linear_forward<float>(linear, y, threads);
    }
  }
  Work work() const {
    const double times = backward ? 2 : 1;
    return {times * 2 * product({rows, cin, cout}), times * bytes({rows * cin, rows * cout, cin * cout})};
  }
};

struct NormCase {
  Size rows, channels;
  bool shortcut, backward;
  std::vector<float> x = random_values(rows * channels), s = x, y = x, d_x = x, d_s = x, d_y = x,
                     gamma = random_values(channels), beta = gamma, d_gamma = gamma, d_beta = gamma,
                     mean = random_values(32), rstd = random_values(32, 1, 2);

  void call(Threads& threads) {
    const kernels::GroupNorm<float> norm{rows, channels, 32, 1e-5f, 0.1f, gamma, beta};
    if (backward) {
      kernels::group_norm_backward<float>(
          norm, x, y, {mean, rstd}, d_y,
          {d_x, d_gamma, d_beta, shortcut ? std::span<float>(d_s) : std::span<float>()}, threads);
    } else {
      kernels::group_norm_forward<float>(
          norm, x, shortcut ? std::span<const float>(s) : std::span<const float>(), y, {mean, rstd}, threads);
    }
  }
  Work work() const {
    const double size = product({rows, channels});
    if (backward) return {14 * size, 4 * (shortcut ? 5 : 4) * size};
    return {8 * size, 4 * (shortcut ? 3 : 2) * size};
  }
};

struct PoolCase {
  kernels::GatherTable table;
  Size channels;
  int part;  // 0 forward, 1 forward with winners, 2 backward
  std::vector<float> features = random_values(table.supports * channels),
                     out = random_values(table.queries * channels);
  std::vector<std::int32_t> winner = std::vector<std::int32_t>(out.size());

  void call(Threads& threads) {
    if (part == 2) {
      kernels::max_pool_backward<float>(table, winner, out, channels, features, threads);
    } else {
      kernels::max_pool_forward<float>(
          table, features, channels, out,
          part == 1 ? std::span<std::int32_t>(winner) : std::span<std::int32_t>(), threads);
    }
  }
  Work work() const {
    const double sizes = bytes({table.supports * channels, table.queries * channels});
    if (part == 2) return {product({table.queries, channels}), sizes + bytes({table.queries * channels})};
    return {product({table.queries, table.width, channels}), sizes + bytes({table.queries * table.width})};
  }
};

struct NearestCase {
  kernels::GatherTable table;
  Size channels;
  bool backward;
  std::vector<float> features = random_values(table.supports * channels),
                     out = random_values(table.queries * channels);

  void call(Threads& threads) {
    if (backward) {
      kernels::nearest_backward<float>(table, {out.data(), channels}, channels, features, threads);
    } else {
      kernels::nearest_forward<float>(table, features, channels, {out.data(), channels}, false, threads);
    }
  }
  Work work() const {
    return {product({table.queries, channels}),
            bytes({table.supports * channels, table.queries * channels, table.queries})};
  }
};

template <class Case>
std::shared_ptr<Case> made(Case value) {
  return std::make_shared<Case>(std::move(value));
}

std::string text(std::initializer_list<Size> numbers) {
  std::string result;
  for (const Size number : numbers) {
    if (!result.empty()) result += 'x';
    result += std::to_string(number);
  }
  return result;
}

void add_gemm() {
  for (const auto& [m, k, n] :
       std::vector<std::array<Size, 3>>{{5000, 512, 512}, {5000, 64, 64}, {5000, 960, 64}})
    add("gemm/" + text({m, k, n}), made(GemmCase{m, k, n, false}));
  for (const auto& [m, k, n] : std::vector<std::array<Size, 3>>{{64, 5000, 64}, {960, 2949, 64}})
    add("gemm_transposed/" + text({m, k, n}), made(GemmCase{m, k, n, true}));
}

void add_kpconv() {
  const Pyramid& p = pyramid();
  const char* parts[] = {"kpconv/", "kpconv_keep/", "kpconv_backward/"};
  for (int part = 0; part < 3; ++part) {
    const auto layer = [&](const std::vector<float>& queries, const std::vector<float>& supports,
                           const std::vector<std::int32_t>& table, Size cin, Size cout, double sigma) {
      add(parts[part] + text({static_cast<Size>(queries.size()) / 3, cin, cout}) +
              (queries.size() == supports.size() ? "" : "_strided"),
          std::make_shared<KpconvCase>(queries, supports, table, cin, cout, sigma, part));
    };
    layer(p.points[0], p.points[0], p.same[0], 1, 64, 0.1);
    layer(p.points[0], p.points[0], p.same[0], 32, 32, 0.1);
    layer(p.points[1], p.points[0], p.down[0], 32, 32, 0.1);
    layer(p.points[1], p.points[1], p.same[1], 64, 64, 0.2);
    layer(p.points[2], p.points[1], p.down[1], 64, 64, 0.2);
    layer(p.points[2], p.points[2], p.same[2], 128, 128, 0.4);
  }
}

void add_linear() {
  for (const bool backward : {false, true}) {
    for (const auto& [rows, cin, cout] : std::vector<std::array<Size, 3>>{{4806, 64, 32},
                                                                          {4806, 32, 128},
                                                                          {4806, 64, 128},
                                                                          {4806, 128, 32},
                                                                          {2949, 32, 128},
                                                                          {2949, 128, 64},
                                                                          {2949, 64, 256},
                                                                          {2949, 128, 256},
                                                                          {2949, 256, 64},
                                                                          {918, 64, 256},
                                                                          {918, 256, 128},
                                                                          {918, 128, 512},
                                                                          {918, 256, 512},
                                                                          {918, 512, 128},
                                                                          {2949, 768, 256},
                                                                          {4806, 384, 128}})
      add((backward ? "linear_backward/" : "linear/") + text({rows, cin, cout}),
          made(LinearCase{rows, cin, cout, backward}));
  }
}

void add_norm() {
  for (const bool backward : {false, true}) {
    for (const auto& [rows, channels, shortcut] : std::vector<std::array<Size, 3>>{
             {4806, 64, 0}, {4806, 128, 1}, {2949, 64, 0}, {2949, 256, 1}, {918, 128, 0}, {918, 512, 1}})
      add((backward ? "group_norm_backward/" : "group_norm/") + text({rows, channels}) +
              (shortcut != 0 ? "_shortcut" : ""),
          made(NormCase{rows, channels, shortcut != 0, backward}));
  }
}

void add_gather() {
  const Pyramid& p = pyramid();
  const kernels::GatherTable down[] = {{2949, 4806, 35, p.down[0]}, {918, 2949, 32, p.down[1]}};
  const kernels::GatherTable up[] = {{4806, 2949, 1, p.up[0]}, {2949, 918, 1, p.up[1]}};
  const char* parts[] = {"max_pool/", "max_pool_winner/", "max_pool_backward/"};
  for (int part = 0; part < 3; ++part) {
    add(parts[part] + text({2949, 128}), made(PoolCase{down[0], 128, part}));
    add(parts[part] + text({918, 256}), made(PoolCase{down[1], 256, part}));
  }
  for (const bool backward : {false, true}) {
    add((backward ? "nearest_backward/" : "nearest/") + text({4806, 256}),
        made(NearestCase{up[0], 256, backward}));
    add((backward ? "nearest_backward/" : "nearest/") + text({2949, 512}),
        made(NearestCase{up[1], 512, backward}));
  }
}

}  // namespace
}  // namespace pmtr::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  pmtr::bench::add_gemm();
  pmtr::bench::add_kpconv();
  pmtr::bench::add_linear();
  pmtr::bench::add_norm();
  pmtr::bench::add_gather();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
