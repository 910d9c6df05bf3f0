// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/jigsaw_sample.h"

#include <limits>
#include <numeric>

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/dataset/pair_sampler.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

/// For each query the nearest support within `radius`, -1 where there is none.
std::vector<std::int32_t> nearest_of(const std::vector<Eigen::Vector3f>& queries,
                                     const std::vector<Eigen::Vector3f>& supports, float radius) {
  std::vector<std::int32_t> nearest(queries.size(), -1);
  if (supports.empty() || queries.empty()) return nearest;
  const NeighbourTable table =
      find_neighbours(queries, supports, radius, 1, TieOrder::index, Threads::none());
  if (table.width == 0) return nearest;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::int32_t found = table.row(static_cast<std::int64_t>(i))[0];
    if (found != static_cast<std::int32_t>(supports.size())) nearest[i] = found;
  }
  return nearest;
}

/// Calls visit(part, rows of it that are wanted, rows of all others that are wanted).
template <class Visit>
void each_part_against_others(const JigsawSample& sample, const std::vector<std::uint8_t>& wanted,
                              const Visit& visit) {
  std::int32_t first = 0;
  for (const std::int64_t size : sample.sizes) {
    std::vector<std::int32_t> own, others;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(sample.points.size()); ++i) {
      if (wanted[static_cast<std::size_t>(i)] == 0) continue;
      (i >= first && i < first + size ? own : others).push_back(i);
    }
    visit(own, others);
    first += static_cast<std::int32_t>(size);
  }
}

torch::Tensor long_tensor(const std::vector<std::int64_t>& values) {
  return torch::tensor(values, torch::kLong);
}

/// Tables of several objects behind one another: each object's rows begin where the rows before it end.
template <class Table>
torch::Tensor joined_table(std::span<const JigsawSample> samples, const std::vector<std::int64_t>& begins,
                           const Table& table) {
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (const std::int32_t row : table(samples[i])) rows.push_back(row + begins[i]);
  }
  return long_tensor(rows);
}

}  // namespace

void label_breaks(JigsawSample& sample) {
  std::vector<Eigen::Vector3f> placed;
  for (std::size_t part = 0; part < sample.sizes.size(); ++part) {
    for (std::int64_t i = 0; i < sample.sizes[part]; ++i)
      placed.push_back(
          (sample.object_from_part[part] * sample.points[placed.size()].cast<double>()).cast<float>());
  }
  const auto at = [&](const std::vector<std::int32_t>& rows) {
    std::vector<Eigen::Vector3f> points;
    for (const std::int32_t row : rows) points.push_back(placed[static_cast<std::size_t>(row)]);
    return points;
  };
  sample.broken.assign(placed.size(), 0);
  each_part_against_others(sample, std::vector<std::uint8_t>(placed.size(), 1),
                           [&](const auto& own, const auto& others) {
                             const auto nearest = nearest_of(at(own), at(others), jigsaw_break_distance);
                             for (std::size_t i = 0; i < own.size(); ++i)
                               sample.broken[static_cast<std::size_t>(own[i])] = nearest[i] >= 0 ? 1 : 0;
                           });
  sample.partner.assign(placed.size(), -1);
  each_part_against_others(sample, sample.broken, [&](const auto& own, const auto& others) {
    const auto nearest = nearest_of(at(own), at(others), 1e9F);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (nearest[i] >= 0)
        sample.partner[static_cast<std::size_t>(own[i])] = others[static_cast<std::size_t>(nearest[i])];
    }
  });
}

Result<JigsawSample> prepare_jigsaw(const BrokenObject& object, const ObjectSampleOptions& options,
                                    Random random) {
  const double side = longest_side(object.pieces);
  if (!(side > 0.0)) return error_at(object.name(), Cause::degenerate, "an object without extent");
  const double unit = side * std::pow(1.0 + options.scale_jitter, random.uniform(-1.0, 1.0));
  const double noise = options.noise * (options.vary_noise ? random.uniform() : 1.0);
  SampleOptions sampling;
  sampling.points = options.points;
  sampling.dense_points = 0;
  sampling.least_points = jigsaw_least_points;
  std::vector<const TriangleMesh*> pieces;
  for (const TriangleMesh& piece : object.pieces) pieces.push_back(&piece);
  PMTR_TRY(std::vector<FragmentClouds> fragments,
           sample_object(pieces, unit, sampling, random.bits(), Threads::none()));
  JigsawSample sample;
  sample.object = object.name();
  for (FragmentClouds& fragment : fragments) {
    if (noise > 0.0) add_noise(fragment, noise, Random(random.bits()));
    const Eigen::Matrix3d turn = random.rotation();
    for (const Eigen::Vector3f& point : fragment.cloud.points)
      sample.points.push_back((turn * point.cast<double>()).cast<float>());
    sample.sizes.push_back(static_cast<std::int64_t>(fragment.cloud.points.size()));
    sample.object_from_part.push_back({turn.transpose(), fragment.centre / unit});
  }
  label_breaks(sample);
  sample.groups = group_points(sample.points, sample.sizes);
  return sample;
}

JigsawBatch stack_jigsaw(std::span<const JigsawSample> samples) {
  PMTR_CHECK(!samples.empty(), "a batch needs an object");
  JigsawBatch batch;
  std::vector<torch::Tensor> points;
  std::vector<std::int64_t> parts;
  std::int64_t part = 0;
  for (const JigsawSample& sample : samples) {
    const auto count = static_cast<std::int64_t>(sample.points.size());
    batch.objects.push_back(count);
    points.push_back(
        torch::from_blob(const_cast<Eigen::Vector3f*>(sample.points.data()),  // NOLINT: only read
                         {count, 3}, torch::kFloat));
    for (const std::int64_t size : sample.sizes)
      parts.insert(parts.end(), static_cast<std::size_t>(size), part++);
  }
  batch.points = torch::cat(points, 0);
  batch.parts = long_tensor(parts);
  std::vector<std::int64_t> fine(samples.size());
  std::exclusive_scan(batch.objects.begin(), batch.objects.end(), fine.begin(), std::int64_t{0});
  batch.attended =
      joined_table(samples, fine, [](const JigsawSample& sample) { return sample.groups.attended; });
  for (std::size_t stage = 0; stage < jigsaw_stages.size(); ++stage) {
    JigsawBatch::Level& level = batch.levels[stage];
    std::vector<std::int64_t> coarse{0};
    std::vector<float> weights;
    for (const JigsawSample& sample : samples) {
      const JigsawLevel& own = sample.groups.levels[stage];
      coarse.push_back(coarse.back() + static_cast<std::int64_t>(own.centres.size()));
      weights.insert(weights.end(), own.weights.begin(), own.weights.end());
    }
    coarse.pop_back();
    const auto of = [&](const auto& member, const std::vector<std::int64_t>& begins) {
      return joined_table(samples, begins,
                          [&](const JigsawSample& sample) { return member(sample.groups.levels[stage]); });
    };
    level.centres = of([](const JigsawLevel& own) { return own.centres; }, fine);
    for (std::size_t r = 0; r < 2; ++r)
      level.neighbours[r] = of([r](const JigsawLevel& own) { return own.neighbours[r]; }, fine);
    level.nearest = of([](const JigsawLevel& own) { return own.nearest; }, coarse);
    level.weights = torch::tensor(weights).view({-1, 3});
    fine = coarse;
  }
  return batch;
}

}  // namespace pmtr
