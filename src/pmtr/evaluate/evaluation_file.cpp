// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/evaluation_file.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/evaluate/summary.h"

namespace pmtr {
namespace {

using Json = nlohmann::ordered_json;

Json displacement_json(const std::optional<Rigid3>& pose) {
  if (!pose) return {};
  Json rows = Json::array();
  for (int i = 0; i < 3; ++i)
    rows.push_back({pose->rotation(i, 0), pose->rotation(i, 1), pose->rotation(i, 2), pose->translation[i]});
  return rows;
}

Json piece_json(const PieceRecord& piece) {
  return {{"share", piece.share},
          {"anchor", piece.scores.anchor},
          {"placed", piece.scores.placed},
          {"confidence", piece.confidence},
          {"rot_deg", piece.scores.rot_deg},
          {"trans", piece.scores.trans},
          {"cd", piece.scores.cd},
          {"crd", piece.scores.crd},
          {"displacement", displacement_json(piece.displacement)}};
}

Json sample_json(const SampleRecord& sample) {
  Json json;
  json["path"] = sample.path;
  json["object"] = sample.object;
  json["category"] = sample.category;
  json["parts"] = sample.pieces.size();
  for (const Measure& measure : all_measures()) {
    const auto value = measure.of(sample);
    json[measure.name] = value ? Json(*value) : Json();
  }
  json["complete"] = sample.scores.complete;
  json["pieces"] = Json::array();
  for (const PieceRecord& piece : sample.pieces) json["pieces"].push_back(piece_json(piece));
  return json;
}

Json group_json(const SampleGroup& group) {
  Json json{{"samples", group.samples}, {"objects", group.objects}};
  for (const Measure& measure : all_measures()) {
    const auto found = group.values.find(measure.name);
    if (found == group.values.end()) continue;
    json["mean"][measure.name] = found->second.mean;
    json["interval"][measure.name] = {found->second.low, found->second.high};
  }
  return json;
}

/// Reads one value or remembers the first thing that is wrong.
class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  template <class T>
  T get(const Json& from, const char* key) {
    T value{};
    const auto found = from.is_object() ? from.find(key) : from.end();
    if (!from.is_object() || found == from.end()) {
      complain(fmt::format("'{}' is missing", key));
      return value;
    }
    try {
      value = found->template get<T>();
    } catch (const nlohmann::json::exception&) {
      complain(fmt::format("'{}' has the wrong type", key));
    }
    return value;
  }
  std::optional<double> number_or_null(const Json& from, const char* key) {
    if (from.is_object() && from.contains(key) && from[key].is_null()) return std::nullopt;
    return get<double>(from, key);
  }
  void complain(const std::string& what) {
    if (!error_)
      error_ = Error{Cause::malformed, where_.empty() ? what : where_ + ": " + what, {name_, {}, {}}};
  }
  void at(std::string where) { where_ = std::move(where); }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::string name_;
  std::string where_;
  std::optional<Error> error_;
};

PieceRecord parse_piece(const Json& json, Reader& reader) {
  PieceRecord piece;
  piece.share = reader.get<double>(json, "share");
  piece.confidence = reader.get<double>(json, "confidence");
  piece.scores.anchor = reader.get<bool>(json, "anchor");
  piece.scores.placed = reader.get<bool>(json, "placed");
  piece.scores.rot_deg = reader.get<double>(json, "rot_deg");
  piece.scores.trans = reader.get<double>(json, "trans");
  piece.scores.cd = reader.get<double>(json, "cd");
  piece.scores.crd = reader.get<double>(json, "crd");
  if (json.is_object() && json.contains("displacement") && !json["displacement"].is_null()) {
    const auto rows = reader.get<std::vector<std::vector<double>>>(json, "displacement");
    bool good = rows.size() == 3;
    for (const auto& row : rows) good = good && row.size() == 4;
    if (!good) {
      reader.complain("'displacement' is not 3 rows of 4");
      return piece;
    }
    Rigid3 pose;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto r = static_cast<Eigen::Index>(i);
      for (std::size_t k = 0; k < 3; ++k) pose.rotation(r, static_cast<Eigen::Index>(k)) = rows[i][k];
      pose.translation[r] = rows[i][3];
    }
    piece.displacement = pose;
  }
  return piece;
}

SampleRecord parse_sample(const Json& json, Reader& reader) {
  SampleRecord sample;
  sample.path = reader.get<std::string>(json, "path");
  reader.at(sample.path);
  sample.object = reader.get<std::string>(json, "object");
  sample.category = reader.get<std::string>(json, "category");
  AssemblyScores& s = sample.scores;
  const std::pair<const char*, double*> values[] = {{"crd", &s.crd},
                                                    {"cd", &s.cd},
                                                    {"rmse_r_deg", &s.rmse_r_deg},
                                                    {"rmse_t", &s.rmse_t},
                                                    {"pa_cd", &s.pa_cd},
                                                    {"pa_crd", &s.pa_crd},
                                                    {"rot_deg", &s.rot_deg},
                                                    {"trans", &s.trans},
                                                    {"recall_5_001", &s.recall_5_001},
                                                    {"recall_10_005", &s.recall_10_005},
                                                    {"pa_cd_free", &s.pa_cd_free},
                                                    {"placed", &s.placed},
                                                    {"seconds", &sample.seconds}};
  for (const auto& [name, target] : values) *target = reader.get<double>(json, name);
  s.complete = reader.get<bool>(json, "complete");
  sample.coarse_inliers = reader.number_or_null(json, "coarse_inliers");
  sample.fine_inliers = reader.number_or_null(json, "fine_inliers");
  const auto pieces = reader.get<Json>(json, "pieces");
  if (!pieces.is_array() || pieces.size() < 2) {
    reader.complain("'pieces' is not a list of at least two");
    return sample;
  }
  for (const Json& piece : pieces) {
    sample.pieces.push_back(parse_piece(piece, reader));
    s.parts.push_back(sample.pieces.back().scores);
  }
  return sample;
}

}  // namespace

std::string format_evaluation(const Evaluation& evaluation) {
  const EvaluationSummary summary = summarise_samples(evaluation.samples);
  Json json;
  json["version"] = 1;
  json["config"] = evaluation.config;
  json["finished"] = evaluation.finished;
  const Json all = group_json(summary.all);
  json["count"] = {{"samples", summary.all.samples}, {"objects", summary.all.objects}};
  json["mean"] = all.value("mean", Json::object());
  json["interval"] = all.value("interval", Json::object());
  json["by_parts"] = Json::object();
  for (const auto& [parts, group] : summary.by_parts)
    json["by_parts"][std::to_string(parts)] = group_json(group);
  json["by_category"] = Json::object();
  for (const auto& [category, group] : summary.by_category) json["by_category"][category] = group_json(group);
  json["by_size"] = Json::array();
  for (const SizeClass& size : summary.by_size)
    json["by_size"].push_back({{"from", size.low},
                               {"to", size.high},
                               {"pieces", size.pieces},
                               {"placed", size.placed},
                               {"right", size.right}});
  for (const auto& [name, histogram] : summary.histograms) {
    std::vector<double> edges = histogram.edges;
    edges.pop_back();  // the last class is open
    json["histograms"][name] = {{"from", edges}, {"pieces", histogram.counts}};
  }
  json["failures"] = evaluation.failures;
  json["samples"] = Json::array();
  for (const SampleRecord& sample : evaluation.samples) json["samples"].push_back(sample_json(sample));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Evaluation> parse_evaluation(std::string_view text, const std::string& name) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return Error{Cause::malformed, "not JSON", {name, static_cast<std::uint64_t>(error.byte), {}}};
  }
  Reader reader(name);
  Evaluation evaluation;
  if (reader.get<int>(json, "version") != 1) reader.complain("not an evaluation of version 1");
  evaluation.config = reader.get<std::map<std::string, std::string>>(json, "config");
  evaluation.failures = reader.get<std::map<std::string, std::string>>(json, "failures");
  evaluation.finished = reader.get<bool>(json, "finished");
  const Json samples = reader.get<Json>(json, "samples");
  if (reader.error()) return *reader.error();
  if (!samples.is_array()) return Error{Cause::malformed, "'samples' is not a list", {name, {}, {}}};
  for (const Json& sample : samples) {
    evaluation.samples.push_back(parse_sample(sample, reader));
    if (reader.error()) return *reader.error();
  }
  return evaluation;
}

Result<Evaluation> merge_evaluations(std::span<const Evaluation> shards) {
  Evaluation merged;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    std::map<std::string, std::string> config = shards[i].config;
    config.erase("shard");
    if (i == 0) merged.config = config;
    if (config != merged.config) {
      for (const auto& [key, value] : config) {
        const auto found = merged.config.find(key);
        if (found == merged.config.end() || found->second != value)
          return Error{Cause::mismatch,
                       fmt::format("the shards were made with different options: '{}' is '{}' and '{}'", key,
                                   found == merged.config.end() ? "" : found->second, value),
                       {}};
      }
      return Error{Cause::mismatch, "the shards were made with different options", {}};
    }
    merged.finished = merged.finished && shards[i].finished;
    merged.failures.insert(shards[i].failures.begin(), shards[i].failures.end());
    for (const SampleRecord& sample : shards[i].samples) {
      if (!seen.insert(sample.path).second)
        return Error{Cause::mismatch, fmt::format("'{}' is in more than one shard", sample.path), {}};
      merged.samples.push_back(sample);
    }
  }
  std::sort(merged.samples.begin(), merged.samples.end(),
            [](const SampleRecord& a, const SampleRecord& b) { return a.path < b.path; });
  return merged;
}

}  // namespace pmtr
