// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

constexpr int resamples = 1000;

struct ObjectSum {
  double sum = 0.0;
  double count = 0.0;
};

MeanValue mean_with_interval(const std::map<std::string, ObjectSum>& by_object) {
  std::vector<ObjectSum> objects;
  ObjectSum all;
  for (const auto& [name, own] : by_object) {
    objects.push_back(own);
    all.sum += own.sum;
    all.count += own.count;
  }
  MeanValue value;
  if (objects.empty()) return value;
  value.samples = static_cast<std::int64_t>(all.count);
  value.mean = all.sum / all.count;
  Random random(/*seed=*/95);
  std::vector<double> means;
  for (int i = 0; i < resamples; ++i) {
    ObjectSum drawn;
    for (std::size_t k = 0; k < objects.size(); ++k) {
      const ObjectSum& own = objects[random.below(objects.size())];
      drawn.sum += own.sum;
      drawn.count += own.count;
    }
    means.push_back(drawn.sum / drawn.count);
  }
  std::sort(means.begin(), means.end());
  value.low = means[static_cast<std::size_t>(0.025 * (resamples - 1))];
  value.high = means[static_cast<std::size_t>(std::ceil(0.975 * (resamples - 1)))];
  return value;
}

SampleGroup group_of(const std::vector<const SampleRecord*>& samples) {
  SampleGroup group;
  group.samples = static_cast<std::int64_t>(samples.size());
  std::map<std::string, ObjectSum> objects;
  for (const SampleRecord* sample : samples) objects[sample->object];
  group.objects = static_cast<std::int64_t>(objects.size());
  for (const Measure& measure : all_measures()) {
    std::map<std::string, ObjectSum> sums;
    for (const SampleRecord* sample : samples) {
      if (const auto value = measure.of(*sample)) {
        sums[sample->object].sum += *value;
        sums[sample->object].count += 1.0;
      }
    }
    if (!sums.empty()) group.values[measure.name] = mean_with_interval(sums);
  }
  return group;
}

Histogram count_in(std::vector<double> edges, std::span<const double> values) {
  Histogram histogram;
  histogram.counts.resize(edges.size() - 1);
  for (const double value : values) {
    const auto after = std::upper_bound(edges.begin(), edges.end() - 1, value) - edges.begin();
    ++histogram.counts[static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - 1))];
  }
  histogram.edges = std::move(edges);
  return histogram;
}

}  // namespace

EvaluationSummary summarise_samples(std::span<const SampleRecord> samples) {
  EvaluationSummary summary;
  std::vector<const SampleRecord*> all;
  std::map<int, std::vector<const SampleRecord*>> by_parts;
  std::map<std::string, std::vector<const SampleRecord*>> by_category;
  for (const double low : {0.0, 0.01, 0.025, 0.05, 0.1, 0.2}) {
    if (!summary.by_size.empty()) summary.by_size.back().high = low;
    summary.by_size.push_back({low, 1.0});
  }
  std::vector<double> degrees, distances;
  for (const SampleRecord& sample : samples) {
    all.push_back(&sample);
    by_parts[static_cast<int>(sample.pieces.size())].push_back(&sample);
    by_category[sample.category].push_back(&sample);
    for (const PieceRecord& piece : sample.pieces) {
      if (piece.scores.anchor) continue;
      degrees.push_back(piece.scores.rot_deg);
      distances.push_back(piece.scores.trans);
      auto size = summary.by_size.begin();
      while (size + 1 != summary.by_size.end() && piece.share >= size->high) ++size;
      ++size->pieces;
      size->placed += piece.scores.placed ? 1 : 0;
      size->right += piece.scores.right() ? 1 : 0;
    }
  }
  summary.all = group_of(all);
  for (const auto& [parts, group] : by_parts) summary.by_parts[parts] = group_of(group);
  for (const auto& [category, group] : by_category) summary.by_category[category] = group_of(group);
  const double open = std::numeric_limits<double>::max();
  summary.histograms["rot_deg"] = count_in({0, 1, 2, 5, 10, 20, 45, 90, 135, 180, open}, degrees);
  summary.histograms["trans"] = count_in({0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, open}, distances);
  return summary;
}

}  // namespace pmtr
