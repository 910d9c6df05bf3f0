// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pmtr {

/// The share of (positive, negative) couples that a score puts in the right order; ties count half. 0.5 if
/// there is only one kind.
double area_under_curve(std::span<const float> scores, std::span<const std::uint8_t> labels);

/// How well the breaks of one fragment were seen.
struct LabelScore {
  double auc = 0.5;        ///< area_under_curve within the fragment
  double precision = 0.0;  ///< of what has a probability above 0.5, the share that is broken
  double recall = 0.0;     ///< of what is broken, the share with a probability above 0.5
  double broken = 0.0;     ///< share of its points that are broken
  double said = 0.0;       ///< share of its points with a probability above 0.5
  double share = 0.0;      ///< its part of the object's surface
  int parts = 0;           ///< of the object
  std::string object;
  std::string fragment;

  /// Harmonic mean of precision and recall: overlap of what is said and what is true.
  double overlap() const;
};

LabelScore score_labels(std::span<const float> scores, std::span<const std::uint8_t> labels);

/// Over fragments of equal weight, for logs and tables: auc_median, auc_worst_tenth (mean of the lowest
/// tenth), auc_small (median of fragments below 1 % of the surface), inverted (share below 0.5), precision,
/// recall and overlap (means). What there is none of is left out.
std::map<std::string, double> summarise_labels(std::span<const LabelScore> scores);

/// Rows by share of break, by size of the fragment and by number of parts, as Markdown.
std::string label_tables(std::span<const LabelScore> scores);

}  // namespace pmtr
