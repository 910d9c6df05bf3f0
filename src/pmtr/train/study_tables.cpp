// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/study_tables.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pmtr {
namespace {

struct ColumnStyle {
  std::string_view name;
  std::string_view title;
  double factor;
  int digits;
};

constexpr std::array column_styles{
    ColumnStyle{"coarse_inliers", "coarse inliers %", 100.0, 1},
    ColumnStyle{"mutual_inliers", "fine inliers %", 100.0, 1},
    ColumnStyle{"hit", "first guess right %", 100.0, 1},
    ColumnStyle{"recall_matches", "recall, matches %", 100.0, 1},
    ColumnStyle{"recall_lgr", "recall, local-to-global %", 100.0, 1},
    ColumnStyle{"rmse_matches", "RMSE(R), matches", 1.0, 1},
    ColumnStyle{"rmse_lgr", "RMSE(R), local-to-global", 1.0, 1},
    ColumnStyle{"crd", "CRD x 100", 100.0, 2},
    ColumnStyle{"cd", "CD x 1000", 1000.0, 2},
    ColumnStyle{"rmse_r_deg", "RMSE(R)", 1.0, 1},
    ColumnStyle{"rmse_t", "RMSE(T) x 100", 100.0, 2},
    ColumnStyle{"pa_cd", "PA(CD) %", 100.0, 1},
    ColumnStyle{"pa_crd", "PA(CRD) %", 100.0, 1},
    ColumnStyle{"recall_5_001", "recall (5, 0.01) %", 100.0, 1},
    ColumnStyle{"recall_10_005", "recall (10, 0.05) %", 100.0, 1},
    ColumnStyle{"complete", "complete %", 100.0, 1},
    ColumnStyle{"updates", "updates", 1.0, 0},
    ColumnStyle{"gmac", "GMAC", 1.0, 3},
    ColumnStyle{"parameters", "parameters K", 1e-3, 2},
    ColumnStyle{"inference_mb", "inference MB", 1.0, 1},
    ColumnStyle{"training_mb", "training MB", 1.0, 1},
    ColumnStyle{"inference_ms", "inference ms", 1.0, 1},
    ColumnStyle{"training_ms", "training step ms", 1.0, 1},
    ColumnStyle{"whole_inference_ms", "network, inference ms", 1.0, 1},
    ColumnStyle{"whole_training_ms", "network, training step ms", 1.0, 1},
};

/// "everyday.crd" is printed as "crd" is.
ColumnStyle style_of(std::string_view name) {
  const std::string_view measure = name.substr(name.find_last_of('.') + 1);
  for (const ColumnStyle& style : column_styles)
    if (measure == style.name) return style;
  return {name, measure, 1.0, 3};
}

std::string title_of(const std::string& column) {
  const std::size_t dot = column.find_last_of('.');
  const std::string title(style_of(column).title);
  return dot == std::string::npos ? title : column.substr(0, dot) + ": " + title;
}

std::string first_failure(const std::vector<StudyOutcome>& outcomes) {
  for (const StudyOutcome& outcome : outcomes)
    if (!outcome.failure.empty()) return outcome.failure;
  return {};
}

std::string cell_text(const std::vector<StudyOutcome>& outcomes, const std::string& column,
                      const std::string& plus_minus) {
  const StudyCell cell = study_cell(outcomes, column);
  const ColumnStyle style = style_of(column);
  if (cell.count == 0) return "-";
  std::string text = fmt::format("{:.{}f}", cell.mean * style.factor, style.digits);
  if (cell.spread) text += fmt::format("{}{:.{}f}", plus_minus, *cell.spread * style.factor, style.digits);
  return text;
}

int seeds_done(const std::vector<StudyOutcome>& outcomes) {
  return static_cast<int>(std::count_if(outcomes.begin(), outcomes.end(),
                                        [](const StudyOutcome& one) { return one.values.has_value(); }));
}

/// How long each variant was trained.
std::string updates_of(const Study& study, const StudyOutcomes& outcomes) {
  std::string text;
  for (std::size_t i = 0; i < study.variants.size(); ++i) {
    const StudyVariant& variant = study.variants[i];
    std::string budget = "none (released weights)";
    if (variant.updates > 0) budget = fmt::format("{}", variant.updates);
    if (variant.minutes > 0.0) {
      const StudyCell updates = study_cell(outcomes[i], "updates");
      budget = updates.count == 0 ? fmt::format("not trained yet ({:g} minutes)", variant.minutes)
                                  : fmt::format("{:.0f} ({:g} minutes)", updates.mean, variant.minutes);
    }
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", variant.name, budget);
  }
  return text;
}

/// A table of what was not measured here.
std::string published_table(const Study& study) {
  std::string text =
      "\n## Published\n\nOther data, other hours of training: not to be compared with the rows above "
      "number by number.\n\n| |";
  std::string rule = "|---|";
  for (const std::string& column : study.published_columns) {
    text += fmt::format(" {} |", column);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const PublishedRow& row : study.published) {
    text += fmt::format("| {} |", row.name);
    for (const double value : row.values) text += fmt::format(" {:g} |", value);
    text += "\n";
  }
  return text;
}

std::string latex_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '&' || c == '_' || c == '#' || c == '$') out += '\\';
    out += c;
  }
  return out;
}

std::string html_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? std::string("&lt;") : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

bool any_note(const Study& study) {
  return std::any_of(study.variants.begin(), study.variants.end(),
                     [](const StudyVariant& variant) { return !variant.note.empty(); });
}

/// The mean of a score over the seeds, at every update at which one was taken.
std::map<std::int64_t, double> mean_curve(const std::vector<StudyOutcome>& outcomes,
                                          const std::string& column) {
  std::map<std::int64_t, std::pair<double, int>> sums;
  for (const StudyOutcome& outcome : outcomes) {
    for (const LogRecord& record : outcome.validations) {
      const auto found = record.values.find(column);
      if (found == record.values.end()) continue;
      sums[record.step].first += found->second;
      ++sums[record.step].second;
    }
  }
  std::map<std::int64_t, double> means;
  for (const auto& [step, sum] : sums) means[step] = sum.first / sum.second;
  return means;
}

/// Colours that people with the usual colour blindness tell apart.
constexpr std::array line_colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                  "#e69f00", "#56b4e9", "#777777"};

std::string curves_of(const Study& study, const StudyOutcomes& outcomes, const std::string& column) {
  constexpr double wide = 560, tall = 280, from_left = 52, from_right = 12, from_top = 12, from_bottom = 28;
  const ColumnStyle style = style_of(column);
  std::vector<std::map<std::int64_t, double>> curves;
  double low = 1e300, high = -1e300, last = 1.0;
  for (const auto& row : outcomes) {
    curves.push_back(mean_curve(row, column));
    for (const auto& [step, value] : curves.back()) {
      low = std::min(low, value * style.factor);
      high = std::max(high, value * style.factor);
      last = std::max(last, static_cast<double>(step));
    }
  }
  if (low > high) return {};
  if (high - low < 1e-9) low -= 0.5, high += 0.5;
  const auto x = [&](double step) { return from_left + (wide - from_left - from_right) * step / last; };
  const auto y = [&](double value) {
    return from_top + (tall - from_top - from_bottom) * (high - value) / (high - low);
  };
  std::string svg =
      fmt::format("<figure><figcaption>{}</figcaption><svg viewBox=\"0 0 {} {}\" role=\"img\">\n",
                  html_escaped(title_of(column)), wide, tall);
  for (int i = 0; i <= 4; ++i) {
    const double value = low + (high - low) * i / 4.0, step = last * i / 4.0;
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/><text x=\"{:.1f}\" "
        "y=\"{:.1f}\" text-anchor=\"end\">{:.3g}</text><text x=\"{:.1f}\" y=\"{:.1f}\" "
        "text-anchor=\"middle\">{:.0f}</text>\n",
        from_left, wide - from_right, y(value), y(value), from_left - 5, y(value) + 4, value, x(step),
        tall - 8, step);
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (curves[i].empty()) continue;
    std::string points;
    for (const auto& [step, value] : curves[i])
      points += fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(step)), y(value * style.factor));
    svg += fmt::format("<polyline stroke=\"{}\" points=\"{}\"><title>{}</title></polyline>\n",
                       line_colours[i % line_colours.size()], points, html_escaped(study.variants[i].name));
  }
  return svg + "</svg></figure>\n";
}

}  // namespace

StudyCell study_cell(const std::vector<StudyOutcome>& outcomes, const std::string& column) {
  std::vector<double> values;
  for (const StudyOutcome& outcome : outcomes) {
    if (!outcome.values) continue;
    if (const auto found = outcome.values->find(column); found != outcome.values->end())
      values.push_back(found->second);
  }
  StudyCell cell;
  cell.count = static_cast<int>(values.size());
  if (values.empty()) return cell;
  for (const double value : values) cell.mean += value / static_cast<double>(values.size());
  if (values.size() < 2) return cell;
  double squares = 0.0;
  for (const double value : values) squares += (value - cell.mean) * (value - cell.mean);
  cell.spread = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return cell;
}

std::string study_markdown(const Study& study, const StudyOutcomes& outcomes) {
  const bool notes = any_note(study);
  std::string text = fmt::format("# {}\n\n| variant | seeds |", study.title);
  std::string rule = "|---|---|";
  for (const std::string& column : study.columns) {
    text += fmt::format(" {} |", title_of(column));
    rule += "---|";
  }
  text += (notes ? " note |\n" : "\n") + rule + (notes ? "---|\n" : "\n");
  std::string failures;
  for (std::size_t i = 0; i < study.variants.size(); ++i) {
    text +=
        fmt::format("| {} | {} of {} |", study.variants[i].name, seeds_done(outcomes[i]), study.seeds.size());
    for (const std::string& column : study.columns)
      text += fmt::format(" {} |", cell_text(outcomes[i], column, " ± "));
    if (notes) text += fmt::format(" {} |", study.variants[i].note);
    text += "\n";
    if (const std::string why = first_failure(outcomes[i]); !why.empty())
      failures += fmt::format("- {}: failed: {}\n", study.variants[i].name, why);
  }
  if (study.kind == StudyKind::training)
    text +=
        fmt::format("\n{} updates each, {} validation pairs; ± is the standard deviation over seeds.\n",
                    study.variants[0].config.train.steps, study.variants[0].config.train.validation_pairs);
  if (study.kind == StudyKind::assembly)
    text += "\nUpdates: " + updates_of(study, outcomes) +
            ". Minutes are of one core: processor time, by a measurement before the training.\n";
  if (!failures.empty()) text += "\n" + failures;
  return study.published.empty() ? text : text + published_table(study);
}

std::string study_latex(const Study& study, const StudyOutcomes& outcomes) {
  std::string text = fmt::format("% {}\n\\begin{{tabular}}{{l{}}}\n\\hline\nvariant", study.title,
                                 std::string(study.columns.size(), 'r'));
  for (const std::string& column : study.columns)
    text += fmt::format(" & {}", latex_escaped(title_of(column)));
  text += " \\\\\n\\hline\n";
  for (std::size_t i = 0; i < study.variants.size(); ++i) {
    text += latex_escaped(study.variants[i].name);
    for (const std::string& column : study.columns)
      text += fmt::format(" & ${}$", cell_text(outcomes[i], column, " \\pm "));
    text += " \\\\\n";
  }
  return text + "\\hline\n\\end{tabular}\n";
}

std::string study_json(const Study& study, const StudyOutcomes& outcomes) {
  nlohmann::ordered_json json = {{"title", study.title}, {"seeds", study.seeds}, {"columns", study.columns}};
  json["variants"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < study.variants.size(); ++i) {
    nlohmann::ordered_json row = {{"name", study.variants[i].name}};
    for (const std::string& column : study.columns) {
      const StudyCell cell = study_cell(outcomes[i], column);
      if (cell.count == 0) continue;
      row["scores"][column]["mean"] = cell.mean;
      if (cell.spread) row["scores"][column]["spread"] = *cell.spread;
    }
    row["runs"] = nlohmann::ordered_json::array();
    for (std::size_t s = 0; s < outcomes[i].size(); ++s) {
      const StudyOutcome& outcome = outcomes[i][s];
      nlohmann::ordered_json run = {{"seed", study.seeds[s]}};
      if (outcome.values) run["values"] = *outcome.values;
      if (!outcome.failure.empty()) run["failure"] = outcome.failure;
      for (const LogRecord& record : outcome.validations) {
        nlohmann::ordered_json point(record.values);
        point["updates"] = record.step;
        run["curve"].push_back(std::move(point));
      }
      row["runs"].push_back(std::move(run));
    }
    json["variants"].push_back(std::move(row));
  }
  return json.dump(1) + "\n";
}

std::string study_curves(const Study& study, const StudyOutcomes& outcomes) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n<style>\n"
      ":root {{ color-scheme: light dark; }}\nbody {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem "
      "auto; "
      "max-width: 76rem; padding: 0 1rem; }}\nsection {{ display: grid; grid-template-columns: "
      "repeat(auto-fill, minmax(28rem, 1fr)); gap: 1rem; }}\nfigure {{ margin: 0; }} svg {{ width: 100%; }}\n"
      "text {{ font-size: 11px; fill: currentColor; }} .grid {{ stroke: currentColor; opacity: .15; }}\n"
      "polyline {{ fill: none; stroke-width: 2; }}\n</style></head><body>\n<h1>{0}</h1>\n<ul>\n",
      html_escaped(study.title));
  for (std::size_t i = 0; i < study.variants.size(); ++i)
    page += fmt::format("<li style=\"color:{}\">{}</li>\n", line_colours[i % line_colours.size()],
                        html_escaped(study.variants[i].name));
  page += "</ul>\n<section>\n";
  for (const std::string& column : study.columns) page += curves_of(study, outcomes, column);
  return page + "</section></body></html>\n";
}

}  // namespace pmtr
