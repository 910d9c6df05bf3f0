// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/dense_context.h"

#include <algorithm>
#include <cmath>

#include "pmtr/core/check.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

constexpr std::int64_t grain = 256;
constexpr float same_way = 0.5F;

/// Mean and spread of each kind of surface feature over broken objects, roughly: columns should be of one
/// size when learning begins, and which exactly does not matter.
constexpr std::array<float, SurfaceFeatures::per_radius> usual = {-0.1F, 0.15F,  0.17F, 0.55F,
                                                                  0.4F,  -0.02F, 0.13F};
constexpr std::array<float, SurfaceFeatures::per_radius> spread = {0.12F, 0.1F,   0.1F, 0.3F,
                                                                   0.3F,  0.024F, 0.15F};

DenseContext::Scale find_scale(const PointCloud& cloud, std::size_t supports, float radius, int limit,
                               Threads& threads) {
  const NeighbourTable table = find_neighbours(cloud.points, std::span(cloud.points).first(supports), radius,
                                               limit, TieOrder::index, threads);
  DenseContext::Scale scale;
  scale.begin.reserve(cloud.points.size() + 1);
  scale.begin.push_back(0);
  scale.neighbours.reserve(static_cast<std::size_t>(table.rows * table.width));
  for (std::int64_t i = 0; i < table.rows; ++i) {
    for (const std::int32_t j : table.row(i)) {
      const auto other = static_cast<std::size_t>(j);
      if (other >= supports) break;
      const bool same = cloud.normals[static_cast<std::size_t>(i)].dot(cloud.normals[other]) > same_way;
      scale.neighbours.push_back(same ? j : -1 - j);
    }
    scale.begin.push_back(static_cast<std::int32_t>(scale.neighbours.size()));
  }
  return scale;
}

std::span<const std::int32_t> around(const DenseContext::Scale& scale, std::int64_t point) {
  const auto begin = static_cast<std::size_t>(scale.begin[static_cast<std::size_t>(point)]);
  const auto end = static_cast<std::size_t>(scale.begin[static_cast<std::size_t>(point) + 1]);
  return std::span(scale.neighbours).subspan(begin, end - begin);
}

std::span<const float> row(std::span<const float> values, std::int64_t i) {
  constexpr auto width = static_cast<std::size_t>(SurfaceFeatures::width);
  return values.subspan(static_cast<std::size_t>(i) * width, width);
}

}  // namespace

DenseContext find_dense_context(const PointCloud& cloud, std::size_t coarse, const SurfaceFeatures& features,
                                Threads& threads) {
  PMTR_CHECK(cloud.normals.size() == cloud.points.size(), "a context needs normals");
  PMTR_CHECK(features.rows == static_cast<std::int64_t>(cloud.points.size()),
             "one row of features per point");
  PMTR_CHECK(coarse <= cloud.points.size(), "the coarse points are some of all");
  DenseContext context;
  context.scale[0] = find_scale(cloud, cloud.points.size(), 0.025F, 24, threads);
  context.scale[1] = find_scale(cloud, coarse, 0.06F, 32, threads);
  context.scale[2] = find_scale(cloud, coarse, 0.15F, 96, threads);
  context.mean_features.assign(features.values.size(), 0.0F);
  threads.parallel_for(features.rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      float* sum = context.mean_features.data() + i * SurfaceFeatures::width;
      float count = 0.0F;
      for (const std::int32_t j : around(context.scale[0], i)) {
        if (j < 0) continue;
        const auto other = row(features.values, j);
        for (std::size_t c = 0; c < other.size(); ++c) sum[c] += other[c];
        count += 1.0F;
      }
      // A point whose normal is no number has not even itself.
      for (int c = 0; c < SurfaceFeatures::width; ++c) sum[c] /= std::max(1.0F, count);
    }
  });
  return context;
}

std::vector<float> context_columns(const DenseContext& context, const SurfaceFeatures& features,
                                   std::span<const float> logits, Threads& threads) {
  const auto points = static_cast<std::int64_t>(logits.size());
  PMTR_CHECK(features.rows == points && context.mean_features.size() == features.values.size(),
             "context, features and logits are of the same points");
  std::vector<float> probability(logits.size());
  std::transform(logits.begin(), logits.end(), probability.begin(),
                 [](float x) { return 1.0F / (1.0F + std::exp(-x)); });
  std::vector<float> columns(logits.size() * static_cast<std::size_t>(DenseContext::width));
  threads.parallel_for(points, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      float* out = columns.data() + i * DenseContext::width;
      for (const std::span<const float> values : {row(features.values, i), row(context.mean_features, i)}) {
        for (std::size_t c = 0; c < values.size(); ++c) {
          const std::size_t kind = c % SurfaceFeatures::per_radius;
          *out++ = (values[c] - usual[kind]) / spread[kind];
        }
      }
      *out++ = logits[static_cast<std::size_t>(i)] / 4.0F;
      *out++ = 2.0F * probability[static_cast<std::size_t>(i)] - 1.0F;
      for (const DenseContext::Scale& scale : context.scale) {
        float same = 0.0F, same_sum = 0.0F, same_squares = 0.0F, other = 0.0F, other_sum = 0.0F;
        for (const std::int32_t j : around(scale, i)) {
          const float p = probability[static_cast<std::size_t>(j >= 0 ? j : -1 - j)];
          if (j >= 0) {
            same += 1.0F;
            same_sum += p;
            same_squares += p * p;
          } else {
            other += 1.0F;
            other_sum += p;
          }
        }
        // Where there is nobody the point speaks for them.
        const float mean = same > 0.0F ? same_sum / same : probability[static_cast<std::size_t>(i)];
        const float squares = same > 0.0F ? same_squares / same : mean * mean;
        *out++ = 2.0F * mean - 1.0F;
        *out++ = 4.0F * std::sqrt(std::max(0.0F, squares - mean * mean));
        *out++ = other > 0.0F ? 2.0F * other_sum / other - 1.0F : 0.0F;
        *out++ = 2.0F * other / std::max(1.0F, same + other) - 1.0F;
      }
    }
  });
  return columns;
}

}  // namespace pmtr
