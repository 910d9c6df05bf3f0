// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pmtr/train/study.h"
#include "pmtr/train/training_log.h"

namespace pmtr {

/// What one seed of a variant gave: its scores, or why there are none. Neither: not done yet.
struct StudyOutcome {
  std::optional<std::map<std::string, double>> values;
  std::string failure;
  std::vector<LogRecord> validations;  ///< on the way
};

/// One row: the outcomes of a variant, by seed.
using StudyOutcomes = std::vector<std::vector<StudyOutcome>>;

/// Mean over the seeds that are done, and the standard deviation of a seed where there are two or more.
struct StudyCell {
  int count = 0;
  double mean = 0.0;
  std::optional<double> spread;
};
StudyCell study_cell(const std::vector<StudyOutcome>& outcomes, const std::string& column);

/// The table, as text in several forms; shares are printed in percent.
std::string study_markdown(const Study& study, const StudyOutcomes& outcomes);
std::string study_latex(const Study& study, const StudyOutcomes& outcomes);
std::string study_json(const Study& study, const StudyOutcomes& outcomes);
/// A page with a picture per column: its mean over updates, one line per variant.
std::string study_curves(const Study& study, const StudyOutcomes& outcomes);

}  // namespace pmtr
