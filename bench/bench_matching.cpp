// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors

// The kernels of matching and of the losses, at the sizes of one pair of fragments.
//   bench_matching --benchmark_filter=attention

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "pair_of_fragments.h"
#include "pmtr/kernels/circle_loss.h"
#include "pmtr/kernels/optimal_transport.h"
#include "pmtr/kernels/pmt_attention.h"
#include "pmtr/kernels/point_norm.h"
#include "speed.h"

namespace pmtr::bench {
namespace {

struct AttentionCase {
  Size points, neighbours, width;
  const std::vector<std::int32_t>* table;
  bool backward;
  kernels::PmtAttentionMlp<float> mlp{
      {1, -1, 2, 1}, {0, 1, 0, 0}, {{1, 2, 0, 1}, {0, 1, 1, 0}}, {0, 0, 1, 0}};
  std::vector<float> lengths = random_values(points * neighbours, 0, 0.01),
                     attention = random_values(points * neighbours * 4, 0, 0.1),
                     in = random_values(points * width), out = in, d_in = in;

  void call(Threads& threads) {
    const auto edges = kernels::AttentionEdges::table(points, neighbours, table->data());
    if (backward) {
      kernels::pmt_attention_backward<float>(edges, kernels::invert_edges(edges), lengths, mlp, attention, in,
                                             width, out, threads, d_in);
    } else {
      kernels::pmt_attention_forward<float>(edges, lengths, mlp, in, width, threads, attention, out);
    }
  }
  Work work() const {
    const double sums = 2 * product({points, neighbours, width});
    const double times = backward ? 2 : 1;  // gradients of the values and of the attention
    return {times * sums, bytes({2 * points * neighbours, 4 * points * neighbours}) +
                              (times + 1) * bytes({points * width})};
  }
};

struct PointNormCase {
  Size points;
  kernels::PointNormShape shape;
  bool backward;
  std::vector<float> x = random_values(points * shape.factors * shape.channels), y = x, d_x = x,
                     weight = random_values(shape.channels), bias = weight, d_weight = weight,
                     d_bias = weight;

  void call(Threads& threads) {
    if (backward) {
      kernels::point_norm_backward<float>(shape, x, weight, bias, y, threads, d_x, d_weight, d_bias);
    } else {
      kernels::point_norm_forward<float>(shape, x, weight, bias, threads, y);
    }
  }
  Work work() const {
    const double size = static_cast<double>(x.size());
    return {(backward ? 16 : 8) * size, (backward ? 12 : 8) * size};
  }
};

struct NormaliseCase {
  Size rows, channels;
  bool backward;
  std::vector<float> x = random_values(rows * channels), y = x, d_x = x;

  void call(Threads& threads) {
    if (backward) {
      kernels::l2_normalise_backward<float>(x, channels, y, threads, d_x);
    } else {
      kernels::l2_normalise_forward<float>(x, channels, threads, y);
    }
  }
  Work work() const {
    const double size = product({rows, channels});
    return {(backward ? 8 : 3) * size, (backward ? 12 : 8) * size};
  }
};

struct TransportCase {
  Size side;  // points of a patch; 128 patch pairs
  bool backward;
  std::vector<kernels::TransportPatch> patches =
      kernels::pack_transport_patches(std::vector<std::int32_t>(128, static_cast<std::int32_t>(side)),
                                      std::vector<std::int32_t>(128, static_cast<std::int32_t>(side)));
  std::vector<float> scores = random_values(128 * side * side, -4, 4), d_scores = scores,
                     out = random_values(128 * (side + 1) * (side + 1));
  kernels::TransportOptions options{100, 0.0};

  void call(Threads& threads) {
    if (backward) {
      kernels::optimal_transport_backward<float>(patches, scores, 1.0F, out, options, threads, d_scores);
    } else {
      kernels::optimal_transport_forward<float>(patches, scores, 1.0F, options, threads, out);
    }
  }
  Work work() const {
    // In the scaling form an iteration is two matrix-vector products.
    const double iterations = 4 * 100 * product({128, side + 1, side + 1});
    return {(backward ? 3 : 1) * iterations,
            (backward ? 2 : 1) * bytes({128 * side * side, 128 * side * side})};
  }
};

struct CircleCase {
  Size rows, columns;
  std::vector<float> distances = random_values(rows * columns, 0.1, 1.9), gradient = distances,
                     overlaps = random_values(rows * columns, -20, 1);

  CircleCase(Size r, Size c) : rows(r), columns(c) {
    for (float& overlap : overlaps) overlap = overlap < 0 ? 0 : overlap;
  }
  void call(Threads& threads) {
    kernels::circle_loss<float>(rows, columns, distances, overlaps, {}, threads, gradient);
  }
  Work work() const { return {40 * product({rows, columns}), 3 * bytes({rows * columns})}; }
};

template <class Case>
void add_case(const std::string& name, Case value) {
  add(name, std::make_shared<Case>(std::move(value)));
}

void add_all() {
  const Pyramid& p = pyramid();
  for (const bool backward : {false, true}) {
    const std::string tail = backward ? "_backward/" : "/";
    add_case("attention" + tail + "4806x35x128", AttentionCase{4806, 35, 128, &p.same[0], backward});
    add_case("attention" + tail + "2949x32x256", AttentionCase{2949, 32, 256, &p.same[1], backward});
    add_case("attention" + tail + "918x34x512", AttentionCase{918, 34, 512, &p.same[2], backward});
    add_case("point_norm" + tail + "4806x8x16", PointNormCase{4806, {8, 16}, backward});
    add_case("point_norm" + tail + "918x128x4", PointNormCase{918, {128, 4}, backward});
    add_case("l2_normalise" + tail + "9612x64", NormaliseCase{9612, 64, backward});
    add_case("l2_normalise" + tail + "918x512", NormaliseCase{918, 512, backward});
    add_case("transport" + tail + "128x5x5", TransportCase{5, backward});
    add_case("transport" + tail + "128x64x64", TransportCase{64, backward});
  }
  add_case("circle_loss/440x478", CircleCase(440, 478));
}

}  // namespace
}  // namespace pmtr::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  pmtr::bench::add_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
