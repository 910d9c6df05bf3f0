// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/jigsaw_layers.h"

#include <cmath>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/network/ops.h"

namespace pmtr {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

std::vector<std::int64_t> after(std::int64_t first, std::vector<std::int64_t> widths) {
  widths.insert(widths.begin(), first);
  return widths;
}

struct SinkhornFunction : torch::autograd::Function<SinkhornFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& scores, std::int64_t rounds) {
    const std::int64_t n = scores.size(0);
    Tensor row = torch::zeros({rounds + 1, n, 1}, scores.options());
    Tensor column = torch::zeros({rounds + 1, 1, n}, scores.options());
    for (std::int64_t i = 1; i <= rounds; ++i) {
      row[i] = -torch::logsumexp(scores + column[i - 1], 1, true);
      column[i] = -torch::logsumexp(scores + row[i], 0, true);
    }
    ctx->save_for_backward({scores, row, column});
    return scores + row[rounds] + column[rounds];
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor &scores = saved[0], &row = saved[1], &column = saved[2];
    Tensor d_scores = grads[0].clone();
    Tensor d_row = grads[0].sum(1, true), d_column = grads[0].sum(0, true);
    for (std::int64_t i = row.size(0) - 1; i >= 1; --i) {
      // column[i] is minus the logarithm of sums: its slope by what was summed is minus the share of each.
      const Tensor by_column = torch::exp(scores + row[i] + column[i]) * d_column;
      d_scores -= by_column;
      d_row -= by_column.sum(1, true);
      const Tensor by_row = torch::exp(scores + row[i] + column[i - 1]) * d_row;
      d_scores -= by_row;
      d_column = -by_row.sum(0, true);
      d_row = torch::zeros_like(d_row);
    }
    return {d_scores, Tensor()};
  }
};

}  // namespace

torch::Tensor log_sinkhorn(const Tensor& scores, int rounds) {
  PMTR_CHECK(scores.dim() == 2 && scores.size(0) == scores.size(1) && rounds >= 1, "a square of scores");
  return SinkhornFunction::apply(scores, static_cast<std::int64_t>(rounds));
}

SetAbstraction::SetAbstraction(const ParameterScope& scope, std::int64_t in,
                               const std::array<std::vector<std::int64_t>, 2>& widths)
    : branches{NormedLayers(scope / "near", after(in + 3, widths[0]), 0.0),
               NormedLayers(scope / "far", after(in + 3, widths[1]), 0.0)} {}

torch::Tensor SetAbstraction::operator()(const Tensor& points, const Tensor& features,
                                         const JigsawBatch::Level& level, const SystemPass& pass) const {
  const Tensor centres = points.index_select(0, level.centres);
  std::vector<Tensor> pooled;
  for (std::size_t r = 0; r < branches.size(); ++r) {
    const std::int64_t count = jigsaw_neighbours[r];
    const Tensor& table = level.neighbours[r];
    const Tensor offsets =
        (points.index_select(0, table).view({-1, count, 3}) - centres.unsqueeze(1)).view({-1, 3});
    const Tensor rows = torch::cat({features.index_select(0, table), offsets}, 1);
    pooled.push_back(largest_of_rows(branches[r](rows, pass), count, pass.execution));
  }
  return torch::cat(pooled, 1);
}

Propagation::Propagation(const ParameterScope& scope, const std::vector<std::int64_t>& widths)
    : layers(scope, widths, 0.0) {}

torch::Tensor Propagation::operator()(const Tensor& fine, const Tensor& coarse,
                                      const JigsawBatch::Level& level, const SystemPass& pass) const {
  const Tensor near = coarse.index_select(0, level.nearest).view({-1, 3, coarse.size(1)});
  const Tensor between = (near * level.weights.to(near.scalar_type()).unsqueeze(2)).sum(1);
  return layers(fine.defined() ? torch::cat({fine, between}, 1) : between, pass);
}

JigsawEncoder::JigsawEncoder(const ParameterScope& scope) {
  using Widths = std::array<std::vector<std::int64_t>, 2>;
  // Those of PointNet++ for the segmentation of scenes, whose radii Jigsaw has too.
  const std::array<Widths, 4> widths{{{{{16, 16, 32}, {32, 32, 64}}},
                                      {{{64, 64, 128}, {64, 96, 128}}},
                                      {{{128, 196, 256}, {128, 196, 256}}},
                                      {{{256, 256, 512}, {256, 384, 512}}}}};
  std::int64_t in = 3;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    down.emplace_back(scope / "down" / static_cast<int>(i), in, widths[i]);
    in = widths[i][0].back() + widths[i][1].back();
  }
  up.emplace_back(scope / "up" / 0, std::vector<std::int64_t>{1024 + 512, 256, 256});
  up.emplace_back(scope / "up" / 1, std::vector<std::int64_t>{256 + 256, 256, 256});
  up.emplace_back(scope / "up" / 2, std::vector<std::int64_t>{256 + 96, 256, 128});
  up.emplace_back(scope / "up" / 3, std::vector<std::int64_t>{128, 128, 128, width});
}

torch::Tensor JigsawEncoder::operator()(const JigsawBatch& batch, const SystemPass& pass) const {
  std::vector<Tensor> points{batch.points};
  std::vector<Tensor> features{batch.points};
  for (std::size_t i = 0; i < down.size(); ++i) {
    features.push_back(down[i](points.back(), features.back(), batch.levels[i], pass));
    points.push_back(points.back().index_select(0, batch.levels[i].centres));
  }
  Tensor x = features.back();
  for (std::size_t i = 0; i < up.size(); ++i) {
    const std::size_t level = up.size() - 1 - i;
    x = up[i](level == 0 ? Tensor() : features[level], x, batch.levels[level], pass);
  }
  return x;
}

PointTransformer::PointTransformer(const ParameterScope& scope, std::int64_t width_)
    : width(width_),
      query(scope / "query", width, width),
      key(scope / "key", width, width),
      value(scope / "value", width, width),
      place_first(scope / "place_first", 3, 3),
      place_norm(scope / "place_norm", 3),
      place(scope / "place", 3, width),
      weight_norm(scope / "weight_norm", width),
      weight_first(scope / "weight_first", width, width / groups),
      weight_second_norm(scope / "weight_second_norm", width / groups),
      weight(scope / "weight", width / groups, width / groups) {}

torch::Tensor PointTransformer::operator()(const Tensor& points, const Tensor& features, const Tensor& table,
                                           const SystemPass& pass) const {
  const std::int64_t n = points.size(0), k = table.size(0) / n;
  const Execution& execution = pass.execution;
  const auto of_points = [&](const Tensor& x) {
    return x.unsqueeze(1).expand({n, k, x.size(1)}).reshape({n * k, x.size(1)});
  };
  const Tensor offsets = points.index_select(0, table) - of_points(points);
  const Tensor placed =
      place(place_norm(place_first(offsets, execution), pass, /*slope=*/0.0), execution);  // [n * k, width]
  const Tensor differences =
      key(features, execution).index_select(0, table) - of_points(query(features, execution)) + placed;
  const Tensor hidden =
      weight_second_norm(weight_first(weight_norm(differences, pass, 0.0), execution), pass, 0.0);
  const Tensor weights = torch::softmax(weight(hidden, execution).view({n, k, 1, width / groups}), 1);
  const Tensor values =
      (value(features, execution).index_select(0, table) + placed).view({n, k, groups, width / groups});
  return (values * weights).sum(1).reshape({n, width});
}

ObjectAttention::ObjectAttention(const ParameterScope& scope, std::int64_t width)
    : query(scope / "query", width, width),
      key(scope / "key", width, width),
      value(scope / "value", width, width),
      out(scope / "out", width, width),
      norm(scope / "norm", width),
      forward(scope / "forward", {width, 2 * width, width}, 0.0),
      forward_norm(scope / "forward_norm", width) {}

torch::Tensor ObjectAttention::operator()(const Tensor& features, const std::vector<std::int64_t>& objects,
                                          const SystemPass& pass) const {
  const std::int64_t width = features.size(1);
  const Tensor q = query(features, pass.execution), k = key(features, pass.execution),
               v = value(features, pass.execution);
  std::vector<Tensor> mixed;
  std::int64_t first = 0;
  for (const std::int64_t count : objects) {
    const auto by_head = [&](const Tensor& x) {
      return x.narrow(0, first, count).view({count, heads, width / heads}).transpose(0, 1);
    };
    mixed.push_back(attend_in_rows(by_head(q), by_head(k), by_head(v), *pass.execution.threads)
                        .transpose(0, 1)
                        .reshape({count, width}));
    first += count;
  }
  const Tensor x = norm(features + out(torch::cat(mixed, 0), pass.execution));
  return forward_norm(x + forward(x, pass));
}

}  // namespace pmtr
