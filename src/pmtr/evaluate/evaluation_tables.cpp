// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/evaluation_tables.h"

#include <array>
#include <span>

#include <fmt/format.h>

#include "pmtr/evaluate/percent.h"
#include "pmtr/evaluate/summary.h"

namespace pmtr {
namespace {

/// A column: the measure, what it is multiplied with, and its heads.
struct Column {
  const char* measure;
  double scale;
  int digits;
  const char* markdown;
  const char* latex;
};

// The order and the scales of the paper's tables.
constexpr std::array paper_columns{
    Column{"crd", 1e2, 2, "CRD (1e-2)", "CRD $(10^{-2})$"},
    Column{"cd", 1e3, 2, "CD (1e-3)", "CD $(10^{-3})$"},
    Column{"rmse_r_deg", 1.0, 2, "RMSE(R) (deg)", "RMSE(R) $(^\\circ)$"},
    Column{"rmse_t", 1e2, 2, "RMSE(T) (1e-2)", "RMSE(T) $(10^{-2})$"},
    Column{"pa_crd", 1e2, 1, "PA_CRD (%)", "PA$_\\mathrm{CRD}$ (\\%)"},
    Column{"pa_cd", 1e2, 1, "PA_CD (%)", "PA$_\\mathrm{CD}$ (\\%)"},
};
constexpr std::array honest_columns{
    Column{"rot_deg", 1.0, 2, "rotation (deg)", "rotation $(^\\circ)$"},
    Column{"recall_5_001", 1e2, 1, "recall 5 deg, 0.01 (%)", "$5^\\circ$, 0.01 (\\%)"},
    Column{"recall_10_005", 1e2, 1, "recall 10 deg, 0.05 (%)", "$10^\\circ$, 0.05 (\\%)"},
    Column{"complete", 1e2, 1, "complete (%)", "complete (\\%)"},
    Column{"pa_cd_free", 1e2, 1, "PA_CD without anchor (%)", "PA$_\\mathrm{CD}$ w/o anchor (\\%)"},
    Column{"placed", 1e2, 1, "placed (%)", "placed (\\%)"},
    Column{"coarse_inliers", 1e2, 1, "coarse inliers (%)", "coarse inliers (\\%)"},
    Column{"fine_inliers", 1e2, 1, "fine inliers (%)", "fine inliers (\\%)"},
    Column{"seconds", 1.0, 2, "seconds", "s"},
};

struct Row {
  std::string name;
  const SampleGroup* group;
};

const char* paper_caption(bool count_anchor) {
  return count_anchor ? "The paper's measures for objects of many parts (the largest part is the anchor: "
                        "RMSE and PA count it as a part without error)"
                      : "The paper's measures for pairs (the largest part is the anchor: "
                        "RMSE and PA do not count it)";
}

std::vector<Row> rows_of(const EvaluationSummary& summary) {
  std::vector<Row> rows{{"all", &summary.all}};
  for (const auto& [parts, group] : summary.by_parts)
    rows.push_back({fmt::format("{} parts", parts), &group});
  return rows;
}

std::string cell(const SampleGroup& group, const Column& column, bool interval) {
  const auto found = group.values.find(column.measure);
  if (found == group.values.end()) return "-";
  const MeanValue& v = found->second;
  std::string text = fmt::format("{:.{}f}", v.mean * column.scale, column.digits);
  if (interval)
    text += fmt::format(" ({:.{}f} to {:.{}f})", v.low * column.scale, column.digits, v.high * column.scale,
                        column.digits);
  return text;
}

std::string markdown_table(const std::vector<Row>& rows, std::span<const Column> columns) {
  std::string text = "| | samples |";
  for (const Column& column : columns) text += fmt::format(" {} |", column.markdown);
  text += "\n|---|---|";
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
  text += "\n";
  for (const Row& row : rows) {
    text += fmt::format("| {} | {} |", row.name, row.group->samples);
    for (const Column& column : columns)
      text += fmt::format(" {} |", cell(*row.group, column, row.name == "all"));
    text += "\n";
  }
  return text;
}

std::string latex_table(const std::vector<Row>& rows, std::span<const Column> columns) {
  std::string text =
      fmt::format("\\begin{{tabular}}{{lr{}}}\n\\toprule\n & samples", std::string(columns.size(), 'r'));
  for (const Column& column : columns) text += fmt::format(" & {}", column.latex);
  text += " \\\\\n\\midrule\n";
  for (const Row& row : rows) {
    text += fmt::format("{} & {}", row.name, row.group->samples);
    for (const Column& column : columns) text += " & " + cell(*row.group, column, false);
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace

std::string markdown_tables(const Evaluation& evaluation) {
  const EvaluationSummary summary = summarise_samples(evaluation.samples);
  const std::vector<Row> rows = rows_of(summary);
  std::string text = fmt::format("{}:\n\n", paper_caption(evaluation.count_anchor));
  text += markdown_table(rows, paper_columns);
  text += "\nParts other than the anchor:\n\n" + markdown_table(rows, honest_columns);
  text += "\nBy the size of the piece (share of the whole surface):\n\n";
  text += "| size (%) | pieces | placed (%) | right: 10 deg, 0.05 (%) |\n|---|---|---|---|\n";
  for (const SizeClass& size : summary.by_size)
    text += fmt::format("| {:g} to {:g} | {} | {:.1f} | {:.1f} |\n", 100.0 * size.low, 100.0 * size.high,
                        size.pieces, percent(size.placed, size.pieces), percent(size.right, size.pieces));
  std::vector<LabelScore> labels;
  for (const SampleRecord& sample : evaluation.samples)
    for (const PieceRecord& piece : sample.pieces)
      if (piece.labels) {
        labels.push_back(*piece.labels);
        labels.back().share = piece.share;
        labels.back().parts = static_cast<int>(sample.pieces.size());
      }
  if (!labels.empty())
    text += "\nHow well breaks were seen, fragment by fragment:\n\n" + label_tables(labels);
  if (const ConfidenceScores scores = confidence_scores(evaluation.samples); !scores.joints.empty())
    text += "\nHow far joints and pieces may be believed:\n\n" + confidence_tables(scores);
  std::vector<Row> categories;
  for (const auto& [category, group] : summary.by_category) categories.push_back({category, &group});
  constexpr std::array short_columns{paper_columns[2], paper_columns[5], honest_columns[2],
                                     honest_columns[3]};
  text += "\nBy category:\n\n" + markdown_table(categories, short_columns);
  for (const auto& [name, histogram] : summary.histograms) {
    text += fmt::format("\nPieces by {} (from):\n\n|", name);
    for (std::size_t i = 0; i + 1 < histogram.edges.size(); ++i)
      text += fmt::format(" {:g} |", histogram.edges[i]);
    text += "\n|";
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) text += "---|";
    text += "\n|";
    for (const std::int64_t count : histogram.counts) text += fmt::format(" {} |", count);
    text += "\n";
  }
  return text;
}

std::string latex_tables(const Evaluation& evaluation) {
  const EvaluationSummary summary = summarise_samples(evaluation.samples);
  const std::vector<Row> rows = rows_of(summary);
  return fmt::format("% {}\n{}\n% Parts other than the anchor\n{}", paper_caption(evaluation.count_anchor),
                     latex_table(rows, paper_columns), latex_table(rows, honest_columns));
}

}  // namespace pmtr
