// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/evaluate/sample_record.h"

namespace pmtr {

/// All that an evaluation found: what `pmtr eval --json` writes.
struct Evaluation {
  std::vector<SampleRecord> samples;
  std::map<std::string, std::string> config;    ///< what it was measured with, by option
  std::map<std::string, std::string> failures;  ///< samples that could not be read, with the reason
  bool finished = true;                         ///< false: stopped by the user, samples are missing
  bool count_anchor = true;  ///< ScoreOptions, of all samples: how RMSE and part accuracy are to be read
};

/// JSON with one record per sample, the means with their intervals, groups and histograms; docs/evaluate.md.
std::string format_evaluation(const Evaluation& evaluation);
Result<Evaluation> parse_evaluation(std::string_view text, const std::string& name);

/// Puts shards together. They must have the same config and no sample in common.
Result<Evaluation> merge_evaluations(std::span<const Evaluation> shards);

}  // namespace pmtr
