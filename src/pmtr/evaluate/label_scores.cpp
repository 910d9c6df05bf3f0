// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/label_scores.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

double mean_of(std::span<const double> values) {
  return values.empty()
             ? 0.0
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Value at a share of the sorted list.
double at_share(std::span<const double> sorted, double share) {
  return sorted.empty() ? 0.0
                        : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

using Number = std::function<double(const LabelScore&)>;

std::vector<double> sorted_values(std::span<const LabelScore> scores, const Number& number) {
  std::vector<double> values;
  for (const LabelScore& score : scores) values.push_back(number(score));
  std::sort(values.begin(), values.end());
  return values;
}

double mean_number(std::span<const LabelScore> scores, const Number& number) {
  return mean_of(sorted_values(scores, number));
}

struct Bin {
  const char* name;
  double below;
};

template <std::size_t count>
std::string table(std::span<const LabelScore> scores, const char* title, const std::array<Bin, count>& bands,
                  const Number& number) {
  std::string text = fmt::format(
      "| {} | fragments | median AUC | lowest tenth | inverted | precision | recall | overlap |\n"
      "|---|---|---|---|---|---|---|---|\n",
      title);
  double from = -1.0;
  for (const Bin& band : bands) {
    std::vector<LabelScore> inside;
    for (const LabelScore& score : scores)
      if (number(score) >= from && number(score) < band.below) inside.push_back(score);
    from = band.below;
    if (inside.empty()) continue;
    auto summary = summarise_labels(inside);
    text +=
        fmt::format("| {} | {} | {:.4f} | {:.3f} | {:.1f} % | {:.3f} | {:.3f} | {:.3f} |\n", band.name,
                    inside.size(), summary["auc_median"], summary["auc_worst_tenth"],
                    100.0 * summary["inverted"], summary["precision"], summary["recall"], summary["overlap"]);
  }
  return text + "\n";
}

}  // namespace

double area_under_curve(std::span<const float> scores, std::span<const std::uint8_t> labels) {
  PMTR_CHECK(scores.size() == labels.size(), "one label per score");
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return scores[a] < scores[b]; });
  double positives = 0.0, negatives = 0.0, ordered = 0.0;
  for (std::size_t i = 0; i < order.size();) {
    double tied_positives = 0.0, tied_negatives = 0.0;
    const float score = scores[order[i]];
    for (; i < order.size() && scores[order[i]] == score; ++i)
      (labels[order[i]] != 0 ? tied_positives : tied_negatives) += 1.0;
    ordered += tied_positives * (negatives + 0.5 * tied_negatives);
    positives += tied_positives;
    negatives += tied_negatives;
  }
  return positives > 0.0 && negatives > 0.0 ? ordered / (positives * negatives) : 0.5;
}

double LabelScore::overlap() const {
  return precision + recall > 0.0 ? 2.0 * precision * recall / (precision + recall) : 0.0;
}

LabelScore score_labels(std::span<const float> scores, std::span<const std::uint8_t> labels) {
  LabelScore score;
  score.auc = area_under_curve(scores, labels);
  double said = 0.0, broken = 0.0, both = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool says = scores[i] > 0.5F, is = labels[i] != 0;
    said += says ? 1.0 : 0.0;
    broken += is ? 1.0 : 0.0;
    both += says && is ? 1.0 : 0.0;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, labels.size()));
  score.precision = said > 0.0 ? both / said : 0.0;
  score.recall = broken > 0.0 ? both / broken : 0.0;
  score.broken = broken / count;
  score.said = said / count;
  return score;
}

std::map<std::string, double> summarise_labels(std::span<const LabelScore> scores) {
  std::map<std::string, double> out;
  if (scores.empty()) return out;
  const std::vector<double> auc = sorted_values(scores, [](const LabelScore& s) { return s.auc; });
  out["auc_median"] = at_share(auc, 0.5);
  out["auc_worst_tenth"] = mean_of(std::span(auc).first(std::max<std::size_t>(1, auc.size() / 10)));
  out["inverted"] = mean_number(scores, [](const LabelScore& s) { return s.auc < 0.5 ? 1.0 : 0.0; });
  out["precision"] = mean_number(scores, [](const LabelScore& s) { return s.precision; });
  out["recall"] = mean_number(scores, [](const LabelScore& s) { return s.recall; });
  out["overlap"] = mean_number(scores, [](const LabelScore& s) { return s.overlap(); });
  std::vector<double> small;
  for (const LabelScore& score : scores)
    if (score.share < 0.01) small.push_back(score.auc);
  std::sort(small.begin(), small.end());
  if (!small.empty()) out["auc_small"] = at_share(small, 0.5);
  return out;
}

std::string label_tables(std::span<const LabelScore> scores) {
  constexpr std::array<Bin, 5> broken = {
      Bin{"below 0.1", 0.1}, {"0.1 to 0.3", 0.3}, {"0.3 to 0.5", 0.5}, {"0.5 to 0.7", 0.7}, {"above", 2.0}};
  constexpr std::array<Bin, 7> sizes = {Bin{"below 1 %", 0.01}, {"1 to 2.5", 0.025}, {"2.5 to 5", 0.05},
                                        {"5 to 10", 0.1},       {"10 to 20", 0.2},   {"20 to 50", 0.5},
                                        {"above", 2.0}};
  constexpr std::array<Bin, 5> parts = {
      Bin{"2", 2.5}, {"3 to 4", 4.5}, {"5 to 8", 8.5}, {"9 to 20", 20.5}, {"more", 1e9}};
  constexpr std::array<Bin, 1> all = {Bin{"all", 1e9}};
  return table(scores, "fragments", all, [](const LabelScore&) { return 0.0; }) +
         table(scores, "share of its surface that is break", broken,
               [](const LabelScore& s) { return s.broken; }) +
         table(scores, "share of the object's surface", sizes, [](const LabelScore& s) { return s.share; }) +
         table(scores, "parts of the object", parts,
               [](const LabelScore& s) { return static_cast<double>(s.parts); });
}

}  // namespace pmtr
