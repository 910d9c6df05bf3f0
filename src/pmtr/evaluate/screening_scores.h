// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <map>
#include <span>

namespace pmtr {

/// Two fragments among many, how much they look like neighbours, and whether they are.
struct ScreenedPair {
  int a = 0;
  int b = 0;
  double score = 0.0;
  bool touch = false;
};

/// How well neighbours are told from strangers before any pose is looked at.
struct ScreeningScores {
  double auc = 0.5;  ///< share of (neighbours, strangers) couples that the score puts in the right order
  /// Of all neighbours of all fragments, the share among the first k of each fragment's list.
  std::map<int, double> recall_at;
};

/// Ties count half in the AUC; in the lists the pair that comes first in `pairs` is the first.
ScreeningScores score_screening(std::span<const ScreenedPair> pairs, std::span<const int> list_lengths);

}  // namespace pmtr
