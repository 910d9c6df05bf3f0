// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/screening_scores.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pmtr/evaluate/label_scores.h"

namespace pmtr {

ScreeningScores score_screening(std::span<const ScreenedPair> pairs, std::span<const int> list_lengths) {
  ScreeningScores scores;
  std::vector<float> values;
  std::vector<std::uint8_t> labels;
  std::map<int, std::vector<const ScreenedPair*>> of_fragment;
  for (const ScreenedPair& pair : pairs) {
    values.push_back(static_cast<float>(pair.score));
    labels.push_back(pair.touch ? 1 : 0);
    of_fragment[pair.a].push_back(&pair);
    of_fragment[pair.b].push_back(&pair);
  }
  scores.auc = area_under_curve(values, labels);
  std::int64_t neighbours = 0;
  std::map<int, std::int64_t> found;
  for (auto& [fragment, list] : of_fragment) {
    std::stable_sort(list.begin(), list.end(),
                     [](const ScreenedPair* x, const ScreenedPair* y) { return x->score > y->score; });
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!list[k]->touch) continue;
      ++neighbours;
      for (const int length : list_lengths) found[length] += static_cast<int>(k) < length ? 1 : 0;
    }
  }
  for (const int length : list_lengths)
    scores.recall_at[length] =
        neighbours > 0 ? static_cast<double>(found[length]) / static_cast<double>(neighbours) : 0.0;
  return scores;
}

}  // namespace pmtr
