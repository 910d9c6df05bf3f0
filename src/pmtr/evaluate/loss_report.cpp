// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/loss_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/evaluate/summary.h"

namespace pmtr {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t classes = std::size(all_loss_classes);
using Counts = std::array<int, classes>;

/// One piece in every run: what became of it.
struct ComparedPiece {
  const SampleRecord* sample = nullptr;
  std::size_t index = 0;
  std::vector<const PieceRecord*> runs;

  bool right(std::size_t run) const { return runs[run]->scores.right(); }
};

/// All pieces but the anchors of the samples that every run has.
std::vector<ComparedPiece> compare(std::span<const LossRun> runs) {
  std::vector<std::map<std::string, const SampleRecord*>> by_path(runs.size());
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const SampleRecord& sample : runs[r].evaluation.samples) by_path[r][sample.path] = &sample;
  std::vector<ComparedPiece> pieces;
  for (const SampleRecord& sample : runs[0].evaluation.samples) {
    std::vector<const SampleRecord*> records;
    for (const auto& paths : by_path) {
      const auto found = paths.find(sample.path);
      if (found != paths.end()) records.push_back(found->second);
    }
    if (records.size() < runs.size()) continue;
    for (std::size_t i = 0; i < sample.pieces.size(); ++i) {
      if (sample.pieces[i].scores.anchor) continue;
      ComparedPiece piece{&sample, i, {}};
      for (const SampleRecord* record : records) piece.runs.push_back(&record->pieces[i]);
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

/// What one run lost.
struct RunTotals {
  int pieces = 0;
  int right = 0;
  int samples = 0;
  int complete = 0;
  Counts lost{};
};

RunTotals totals_of(std::span<const ComparedPiece> pieces, std::size_t run) {
  RunTotals totals;
  std::map<std::string, bool> complete;
  for (const ComparedPiece& piece : pieces) {
    ++totals.pieces;
    totals.right += piece.right(run) ? 1 : 0;
    bool& whole = complete.try_emplace(piece.sample->path, true).first->second;
    whole = whole && piece.right(run);
    if (const auto& loss = piece.runs[run]->loss) ++totals.lost[static_cast<std::size_t>(loss->loss)];
  }
  totals.samples = static_cast<int>(complete.size());
  for (const auto& [path, whole] : complete) totals.complete += whole ? 1 : 0;
  return totals;
}

double percent_of(int part, int whole) { return whole == 0 ? 0.0 : 100.0 * part / whole; }

const char* labels_word(const LossRun& run) { return run.true_labels ? "true" : "network"; }
const char* pairs_word(const LossRun& run) { return run.true_neighbours ? "touching" : "all"; }

/// The run with this much of the truth; nothing if there was none.
std::optional<std::size_t> run_with(std::span<const LossRun> runs, bool labels, bool neighbours) {
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (runs[r].true_labels == labels && runs[r].true_neighbours == neighbours) return r;
  }
  return std::nullopt;
}

/// What each step of truth brings back of the pieces that the first run has wrong.
struct StageLosses {
  int wrong = 0;
  int labels = 0;      ///< right once the breaks are told
  int neighbours = 0;  ///< not yet, but once it is told which pieces touch as well
  Counts rest{};       ///< wrong even so
  int spoilt = 0;      ///< right in the first run, wrong with all that is told
};

StageLosses stage_losses(std::span<const LossRun> runs, std::span<const ComparedPiece> pieces) {
  const bool told = runs[0].true_labels;
  const auto labels = told ? std::optional<std::size_t>(0) : run_with(runs, true, false);
  const auto all = run_with(runs, labels.has_value(), true);
  StageLosses losses;
  for (const ComparedPiece& piece : pieces) {
    if (piece.right(0)) {
      losses.spoilt += all && !piece.right(*all) ? 1 : 0;
      continue;
    }
    ++losses.wrong;
    if (labels && piece.right(*labels)) {
      ++losses.labels;
    } else if (all && piece.right(*all)) {
      ++losses.neighbours;
    } else if (const auto& loss = piece.runs[all.value_or(0)]->loss) {
      ++losses.rest[static_cast<std::size_t>(loss->loss)];
    }
  }
  return losses;
}

std::string run_table(std::span<const LossRun> runs, std::span<const ComparedPiece> pieces) {
  std::string text = "| breaks | pairs | samples | complete (%) | pieces | right (%) | wrong |";
  for (const LossClass loss : all_loss_classes) text += fmt::format(" {} |", loss_name(loss));
  text += "\n|---|---|---|---|---|---|---|";
  for (std::size_t i = 0; i < classes; ++i) text += "---|";
  text += "\n";
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const RunTotals totals = totals_of(pieces, r);
    text += fmt::format("| {} | {} | {} | {:.1f} | {} | {:.1f} | {} |", labels_word(runs[r]),
                        pairs_word(runs[r]), totals.samples, percent_of(totals.complete, totals.samples),
                        totals.pieces, percent_of(totals.right, totals.pieces), totals.pieces - totals.right);
    for (const int count : totals.lost) text += fmt::format(" {} |", count);
    text += "\n";
  }
  return text;
}

std::string size_table(std::span<const LossRun> runs, std::span<const ComparedPiece> pieces) {
  std::string text = "| size (%) | pieces | wrong |";
  for (const LossClass loss : all_loss_classes) text += fmt::format(" {} |", loss_name(loss));
  text += "\n|---|---|---|";
  for (std::size_t i = 0; i < classes; ++i) text += "---|";
  text += "\n";
  for (const SizeClass& size : summarise_samples(runs[0].evaluation.samples).by_size) {
    std::vector<ComparedPiece> inside;
    for (const ComparedPiece& piece : pieces) {
      const double share = piece.runs[0]->share;
      if (share >= size.low && share < size.high) inside.push_back(piece);
    }
    const RunTotals totals = totals_of(inside, 0);
    text += fmt::format("| {:g} to {:g} | {} | {} |", 100.0 * size.low, 100.0 * size.high, totals.pieces,
                        totals.pieces - totals.right);
    for (const int count : totals.lost) text += fmt::format(" {} |", count);
    text += "\n";
  }
  return text;
}

std::string stage_table(std::span<const LossRun> runs, std::span<const ComparedPiece> pieces) {
  const StageLosses losses = stage_losses(runs, pieces);
  std::string text = "| lost by | pieces |\n|---|---|\n";
  text += fmt::format("| breaks seen wrongly: right once they are told | {} |\n", losses.labels);
  text += fmt::format("| taken for neighbours: right once it is also told which pieces touch | {} |\n",
                      losses.neighbours);
  for (std::size_t i = 0; i < classes; ++i)
    text += fmt::format("| wrong even so: {} | {} |\n", loss_name(all_loss_classes[i]), losses.rest[i]);
  text += fmt::format("| all that are wrong | {} |\n", losses.wrong);
  text += fmt::format("| right at first, wrong with all that is told | {} |\n", losses.spoilt);
  return text;
}

std::string number_cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

/// What became of the piece in the other runs: "right", or the class.
std::string outcome_cell(const PieceRecord& piece) {
  if (piece.scores.right()) return "right";
  return piece.loss ? loss_name(piece.loss->loss) : "wrong";
}

std::string piece_lines(std::span<const LossRun> runs, std::span<const ComparedPiece> pieces) {
  std::string text =
      "| piece | size (%) | class | group | pair | seen | break points | true pose would have | found with | "
      "rank | best wrong | proposed |";
  for (std::size_t r = 1; r < runs.size(); ++r)
    text += fmt::format(" breaks {}, pairs {} |", labels_word(runs[r]), pairs_word(runs[r]));
  text += "\n|---|---|---|---|---|---|---|---|---|---|---|---|";
  for (std::size_t r = 1; r < runs.size(); ++r) text += "---|";
  text += "\n";
  for (const ComparedPiece& piece : pieces) {
    const auto& loss = piece.runs[0]->loss;
    if (!loss) continue;
    text += fmt::format("| {} #{} | {:.2f} | {} | {} | {}+{} | {} | {} | {} | {:.2f} | {} | {:.2f} | {} |",
                        piece.sample->path, piece.index, 100.0 * piece.runs[0]->share, loss_name(loss->loss),
                        loss->group, loss->pair.a, loss->pair.b, number_cell(loss->pair.seen),
                        loss->pair.break_points, number_cell(loss->pair.confidence), loss->found, loss->rank,
                        loss->rival, loss->pair.proposed ? "yes" : "no");
    for (std::size_t r = 1; r < runs.size(); ++r) text += fmt::format(" {} |", outcome_cell(*piece.runs[r]));
    text += "\n";
  }
  return text;
}

/// Numbers that people compare, not measure with: three digits.
double rounded(double value) { return std::round(1e4 * value) / 1e4; }
Json rounded(const std::optional<double>& value) { return value ? Json(rounded(*value)) : Json(); }

Json counts_json(const Counts& counts) {
  Json json;
  for (std::size_t i = 0; i < classes; ++i) json[loss_name(all_loss_classes[i])] = counts[i];
  return json;
}

Json lost_piece_json(const ComparedPiece& piece) {
  const PieceLoss& loss = *piece.runs[0]->loss;
  Json json{{"path", piece.sample->path},
            {"piece", piece.index},
            {"share", rounded(piece.runs[0]->share)},
            {"class", loss_name(loss.loss)},
            {"group", loss.group},
            {"pairs", loss.pairs},
            {"candidates", loss.candidates},
            {"pair", {loss.pair.a, loss.pair.b}},
            {"seen", rounded(loss.pair.seen)},
            {"break_points", loss.pair.break_points},
            {"true_confidence", rounded(loss.pair.confidence)},
            {"found_confidence", rounded(loss.found)},
            {"rank", loss.rank},
            {"rival_confidence", rounded(loss.rival)},
            {"proposed", loss.pair.proposed}};
  Json others = Json::array();
  for (std::size_t r = 1; r < piece.runs.size(); ++r) others.push_back(outcome_cell(*piece.runs[r]));
  json["in_other_runs"] = others;
  return json;
}

}  // namespace

std::string loss_markdown(std::span<const LossRun> runs, const std::string& name) {
  const std::vector<ComparedPiece> pieces = compare(runs);
  int beyond_search = 0, hidden = 0;
  for (const ComparedPiece& piece : pieces) {
    const auto& loss = piece.runs[0]->loss;
    if (!loss || loss->loss != LossClass::no_candidate || !loss->pair.confidence) continue;
    ++(*loss->pair.confidence > loss->rival ? beyond_search : hidden);
  }
  return fmt::format(
      "# What is lost where: {}\n\nWrong pieces by their class, with what the network says and with what is "
      "told:\n\n{}\nThe first run by the size of the piece (share of the surface):\n\n{}\nBy stage, of the "
      "pieces that are wrong in the first run:\n\n{}\nOf those without candidate, the true pose would have "
      "been the best of its pair, had anybody looked there: {}; the surfaces as they were seen do not show "
      "it: {}.\n\n## The wrong pieces\n\n{}",
      name, run_table(runs, pieces), size_table(runs, pieces), stage_table(runs, pieces), beyond_search,
      hidden, piece_lines(runs, pieces));
}

std::string loss_json(std::span<const LossRun> runs) {
  const std::vector<ComparedPiece> pieces = compare(runs);
  Json json;
  json["version"] = 1;
  json["config"] = runs[0].evaluation.config;
  json["runs"] = Json::array();
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const RunTotals totals = totals_of(pieces, r);
    json["runs"].push_back({{"labels", labels_word(runs[r])},
                            {"pairs", pairs_word(runs[r])},
                            {"samples", totals.samples},
                            {"complete", totals.complete},
                            {"pieces", totals.pieces},
                            {"right", totals.right},
                            {"wrong", counts_json(totals.lost)}});
  }
  const StageLosses losses = stage_losses(runs, pieces);
  json["stages"] = {{"wrong", losses.wrong},
                    {"labels", losses.labels},
                    {"neighbours", losses.neighbours},
                    {"rest", counts_json(losses.rest)},
                    {"spoilt", losses.spoilt}};
  std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace);
  text.resize(text.find_last_of('}'));  // pieces follow, one line each
  while (text.back() == '\n') text.pop_back();
  text += ",\n \"pieces\": [";
  bool first = true;
  for (const ComparedPiece& piece : pieces) {
    if (!piece.runs[0]->loss) continue;
    text += first ? "\n  " : ",\n  ";
    text += lost_piece_json(piece).dump(-1, ' ', false, Json::error_handler_t::replace);
    first = false;
  }
  return text + "\n ]\n}\n";
}

}  // namespace pmtr
