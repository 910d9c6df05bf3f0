// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/likely_pairs.h"

#include <algorithm>
#include <cstddef>

#include "pmtr/core/index.h"

namespace pmtr {

std::vector<std::pair<int, int>> likely_pairs(std::span<const std::pair<int, int>> pairs,
                                              std::span<const PairScore> scores, int fragments,
                                              int partners) {
  if (std::none_of(scores.begin(), scores.end(), [](const PairScore& pair) { return pair.compared; }))
    return {pairs.begin(), pairs.end()};
  std::vector<std::vector<std::pair<double, std::size_t>>> of_fragment(static_cast<std::size_t>(fragments));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    of_fragment[at(scores[i].a)].emplace_back(-scores[i].score, i);
    of_fragment[at(scores[i].b)].emplace_back(-scores[i].score, i);
  }
  std::vector<bool> chosen(scores.size(), false);
  for (auto& list : of_fragment) {
    std::sort(list.begin(), list.end());
    for (std::size_t k = 0; k < std::min(list.size(), static_cast<std::size_t>(partners)); ++k)
      chosen[list[k].second] = true;
  }
  std::vector<std::pair<int, int>> likely;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (chosen[i]) likely.emplace_back(scores[i].a, scores[i].b);
  }
  return likely;
}

std::vector<std::pair<int, int>> large_pairs(std::span<const std::pair<int, int>> pairs,
                                             std::span<const std::size_t> sizes, std::size_t least,
                                             std::size_t most) {
  const auto smaller = [&](const std::pair<int, int>& pair) {
    return std::min(sizes[at(pair.first)], sizes[at(pair.second)]);
  };
  std::vector<std::pair<int, int>> large;
  for (const auto& pair : pairs) {
    if (smaller(pair) >= least) large.push_back(pair);
  }
  std::stable_sort(large.begin(), large.end(),
                   [&](const auto& x, const auto& y) { return smaller(x) > smaller(y); });
  if (large.size() > most) large.resize(most);
  return large;
}

}  // namespace pmtr
