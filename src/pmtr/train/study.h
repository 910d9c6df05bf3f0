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
  // Of StudyKind::assembly alone:
  std::string system;        ///< of systems/; empty: pmtr itself
  std::string changes;       ///< what is said of the configuration, as TOML: systems have other defaults
  std::int64_t updates = 0;  ///< 0 without minutes: not trained, the released weights are used
  /// Instead of updates: as many as this many minutes of one core make, by a measurement before the training.
  double minutes = 0.0;
  std::vector<std::string> evaluate;  ///< more words for pmtr eval

  bool trained() const { return updates > 0 || minutes > 0.0; }
};

/// What others wrote of a system.
struct PublishedRow {
  std::string name;
  std::vector<double> values;  ///< as printed, one per published column
};

enum class StudyKind {
  training,  ///< each variant is trained, and its last validation is the result
  cost,      ///< each variant's matchers are measured (pmtr bench matchers)
  assembly,  ///< each variant is trained, if it has updates, and objects are put together (pmtr eval)
};

/// A table as a file: variants, a budget and an evaluation.
struct Study {
  std::string title;
  StudyKind kind = StudyKind::training;
  std::vector<std::uint64_t> seeds{0};
  std::vector<std::string> columns;  ///< names of validation scores or measurements
  /// Tensors whose names begin so are as initialised, whatever is warm-started.
  std::vector<std::string> fresh{"coarse_matcher.", "backbone.pmt."};
  int points = 5000;                  ///< of the object whose matching is measured
  std::vector<std::string> evaluate;  ///< words for pmtr eval, for all variants
  std::vector<StudyVariant> variants;
  std::vector<std::string> published_columns;  ///< of a second table, which is not measured here
  std::vector<PublishedRow> published;
};

/// For StudyKind::assembly columns are measures of pmtr eval, with the first folder of the samples in front
/// where only these are meant ("everyday.crd").
///
/// The file names a configuration (`config`, beside the file), the budget (`updates`, `validate_every`,
/// `validation_pairs`; for assembly `minutes`), what is changed for all ([all]) and [[variant]]s with the
/// sections of a configuration, of which each says only what it changes. [[published]] rows have a `name` and
/// `values`, one for each of `published_columns`. Unknown keys are errors, as in a configuration.
Result<Study> read_study(const std::filesystem::path& path);
Result<Study> parse_study(std::string_view text, const std::filesystem::path& path);

}  // namespace pmtr
