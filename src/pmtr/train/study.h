// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/train/config.h"

namespace pmtr {

/// One row of a table: a name, and a configuration that differs from the others in what is compared.
struct StudyVariant {
  std::string name;
  std::string folder;  ///< the name in letters, digits and '_'; no two are equal
  TrainConfig config;
  std::string note;  ///< beside the row: what the paper reports, for instance; may be empty
};

enum class StudyKind {
  training,  ///< each variant is trained, and its last validation is the result
  cost,      ///< each variant's matchers are measured (pmtr bench matchers)
};

/// A table as a file: variants, a budget and an evaluation.
struct Study {
  std::string title;
  StudyKind kind = StudyKind::training;
  std::vector<std::uint64_t> seeds{0};
  std::vector<std::string> columns;  ///< names of validation scores or measurements
  /// Tensors whose names begin so are as initialised, whatever is warm-started.
  std::vector<std::string> fresh{"coarse_matcher.", "backbone.pmt."};
  int points = 5000;  ///< of the object whose matching is measured
  std::vector<StudyVariant> variants;
};

/// The file names a configuration (`config`, beside the file), the budget (`updates`, `validate_every`,
/// `validation_pairs`), what is changed for all ([all]) and [[variant]]s with the sections of a
/// configuration, of which each says only what it changes. Unknown keys are errors, as in a configuration.
Result<Study> read_study(const std::filesystem::path& path);
Result<Study> parse_study(std::string_view text, const std::filesystem::path& path);

}  // namespace pmtr
