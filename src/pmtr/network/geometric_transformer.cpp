// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/geometric_transformer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <torch/types.h>

#include "pmtr/network/ops.h"

namespace pmtr {
namespace {

constexpr double distance_unit = 0.2;  // object units
constexpr double angle_unit = std::numbers::pi / 12.0;
constexpr std::int64_t reference_points = 3;
constexpr int repetitions = 3;

/// values [n] -> [n, width]: sine and cosine in turn, of wavelengths from 2 pi to 20000 pi.
torch::Tensor waves(const torch::Tensor& values, std::int64_t width) {
  const torch::Tensor rates = torch::exp(torch::arange(0, width, 2, values.options()) *
                                         (-std::log(10000.0) / static_cast<double>(width)));
  const torch::Tensor phases = values.unsqueeze(1) * rates;
  return torch::stack({phases.sin(), phases.cos()}, 2).flatten(1);
}

/// Of each point i to every point j, seen from each of i's nearest neighbours: [n n k], in units.
torch::Tensor angles(const torch::Tensor& offsets, const torch::Tensor& squared, std::int64_t k) {
  const std::int64_t n = offsets.size(0);
  const torch::Tensor others =
      squared + torch::eye(n, squared.options())
                    .masked_fill_(torch::eye(n, torch::kBool), std::numeric_limits<double>::infinity());
  const torch::Tensor nearest = std::get<1>(others.topk(k, 1, /*largest=*/false));  // [n, k]
  const torch::Tensor to_nearest =
      offsets.gather(1, nearest.unsqueeze(2).expand({n, k, 3})).unsqueeze(1).expand({n, n, k, 3});
  const torch::Tensor to_each = offsets.unsqueeze(2).expand({n, n, k, 3});
  const torch::Tensor sine = torch::cross(to_nearest, to_each, 3).square().sum(3).sqrt();
  // A point is at angle 0 to itself: the sum makes +0 of -0, whose angle would be pi.
  const torch::Tensor cosine = (to_nearest * to_each).sum(3) + 0.0;
  return torch::atan2(sine, cosine).flatten() / angle_unit;
}

}  // namespace

GeometricEmbedding::GeometricEmbedding(const ParameterScope& scope, std::int64_t width)
    : distance(scope / "distance", width, width), angle(scope / "angle", width, width) {}

torch::Tensor GeometricEmbedding::operator()(const torch::Tensor& points, const Execution& execution) const {
  const std::int64_t n = points.size(0);
  const std::int64_t width = distance.weight.size(0);
  const torch::Tensor offsets = points.unsqueeze(0) - points.unsqueeze(1);  // [i, j]: from i to j
  const torch::Tensor squared = offsets.square().sum(2);
  const torch::Tensor by_distance =
      distance(waves(squared.sqrt().flatten() / distance_unit, width), execution);
  const std::int64_t k = std::min(reference_points, n - 1);
  if (k < 1) return by_distance;  // a point alone has no neighbour to measure angles from
  const torch::Tensor by_angle = angle(waves(angles(offsets, squared, k), width), execution);
  return by_distance + std::get<0>(by_angle.view({n * n, k, width}).max(1));
}

AttentionLayer::AttentionLayer(const ParameterScope& scope, std::int64_t width, bool geometric)
    : query(scope / "query", width, width),
      key(scope / "key", width, width),
      value(scope / "value", width, width),
      place(geometric ? std::optional<Linear>(Linear(scope / "place", width, width)) : std::nullopt),
      merge(scope / "merge", width, width),
      norm(scope / "norm", width),
      expand(scope / "expand", width, 2 * width),
      squeeze(scope / "squeeze", 2 * width, width),
      out_norm(scope / "out_norm", width) {}

torch::Tensor AttentionLayer::operator()(const torch::Tensor& x, const torch::Tensor& looked_at,
                                         const torch::Tensor& embedding, const Execution& execution) const {
  constexpr std::int64_t head_count = GeometricTransformer::heads;
  const std::int64_t n = x.size(0);
  const std::int64_t m = looked_at.size(0);
  const std::int64_t width = x.size(1);
  const std::int64_t per_head = width / head_count;
  const auto by_head = [&](const torch::Tensor& rows) {
    return rows.view({rows.size(0), head_count, per_head}).transpose(0, 1);
  };
  const torch::Tensor q = by_head(query(x, execution));  // [heads, n, per head]
  torch::Tensor logits =
      torch::matmul(q, by_head(key(looked_at, execution)).transpose(1, 2));  // [heads, n, m]
  if (place) {
    const torch::Tensor p = (*place)(embedding, execution).view({n, m, head_count, per_head});
    logits = logits + torch::einsum("hnd,nmhd->hnm", {q, p});
  }
  const torch::Tensor attention = torch::softmax(logits / std::sqrt(static_cast<double>(per_head)), 2);
  const torch::Tensor seen = torch::matmul(attention, by_head(value(looked_at, execution)));
  execution.count(n * m * width * (place ? 3 : 2));
  const torch::Tensor merged = merge(seen.transpose(0, 1).reshape({n, width}), execution);
  const torch::Tensor y = norm(merged + x);
  return out_norm(y + squeeze(torch::relu(expand(y, execution)), execution));
}

GeometricTransformer::GeometricTransformer(const ParameterScope& scope, std::int64_t in, std::int64_t out,
                                           std::int64_t inner_width)
    : embedding_(scope / "geotr" / "embedding", inner_width),
      in_(scope / "geotr" / "in", in, inner_width),
      out_(scope / "geotr" / "out", inner_width, out) {
  for (int i = 0; i < repetitions; ++i) {
    self_.emplace_back(scope / "geotr" / "self" / i, inner_width, true);
    cross_.emplace_back(scope / "geotr" / "cross" / i, inner_width, false);
  }
}

std::array<torch::Tensor, 2> GeometricTransformer::transform(const MatchSide& source, const MatchSide& target,
                                                             const Execution& execution) const {
  const auto embed = [&](const MatchSide& side) {
    return embedding_(side.site.points.to(side.features.scalar_type()), execution);
  };
  const torch::Tensor source_places = embed(source);
  const torch::Tensor target_places = embed(target);
  torch::Tensor a = in_(source.features, execution);
  torch::Tensor b = in_(target.features, execution);
  for (std::size_t i = 0; i < self_.size(); ++i) {
    a = self_[i](a, a, source_places, execution);
    b = self_[i](b, b, target_places, execution);
    const torch::Tensor seen_by_a = cross_[i](a, b, {}, execution);
    b = cross_[i](b, a, {}, execution);
    a = seen_by_a;
  }
  return {out_(a, execution), out_(b, execution)};
}

double GeometricTransformer::memory(std::int64_t source, std::int64_t target, bool training) const {
  // In embeddings of all pairs of one cloud. The test MatcherMemory compares this with what is allocated.
  const auto width = static_cast<double>(in_.weight.size(0));
  const auto embedding = [&](std::int64_t n) {
    return static_cast<double>(n) * static_cast<double>(n) * width * sizeof(float);
  };
  const double larger = embedding(std::max(source, target));
  const double both = embedding(source) + embedding(target);
  const double crossed = static_cast<double>(source) * static_cast<double>(target) * heads * sizeof(float);
  return training ? 9.0 * both + 3.0 * larger + 12.0 * crossed : both + 8.0 * larger + 3.0 * crossed;
}

}  // namespace pmtr
