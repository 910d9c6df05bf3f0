// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pmtr/evaluate/sample_record.h"

namespace pmtr {

/// A mean over samples, and where 95 % of the means lie if the objects are drawn anew.
struct MeanValue {
  double mean = 0.0;
  double low = 0.0;
  double high = 0.0;
  std::int64_t samples = 0;
};

/// Samples with something in common.
struct SampleGroup {
  std::int64_t samples = 0;
  std::int64_t objects = 0;
  std::map<std::string, MeanValue> values;  ///< by the name of the measure
};

/// Pieces of about one size; anchors, which cannot fail, are not counted.
struct SizeClass {
  double low = 0.0;  ///< share of the whole surface, from
  double high = 0.0;
  std::int64_t pieces = 0;
  std::int64_t placed = 0;
  std::int64_t right = 0;  ///< within 10 degrees and 0.05
};

struct Histogram {
  std::vector<double> edges;         ///< one more than counts; the last class has no upper end
  std::vector<std::int64_t> counts;  ///< of pieces that are not anchors
};

struct EvaluationSummary {
  SampleGroup all;
  std::map<int, SampleGroup> by_parts;
  std::map<std::string, SampleGroup> by_category;
  std::vector<SizeClass> by_size;
  std::map<std::string, Histogram> histograms;  ///< rot_deg, trans
};

/// The intervals come from a bootstrap over objects, not over samples: fractures of one object fail together.
EvaluationSummary summarise_samples(std::span<const SampleRecord> samples);

}  // namespace pmtr
