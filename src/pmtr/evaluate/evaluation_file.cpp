// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/evaluation_file.h"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/evaluate/summary.h"
#include "pmtr/formats/json_fields.h"

namespace pmtr {
namespace {

using Json = nlohmann::ordered_json;  // for what people read: fields in the order they are written
namespace fields = json_fields;

Json displacement_json(const std::optional<Rigid3>& pose) {
  if (!pose) return {};
  Json rows = Json::array();
  for (int i = 0; i < 3; ++i)
    rows.push_back({pose->rotation(i, 0), pose->rotation(i, 1), pose->rotation(i, 2), pose->translation[i]});
  return rows;
}

Json labels_json(const std::optional<LabelScore>& labels) {
  if (!labels) return {};
  return {{"auc", labels->auc},
          {"precision", labels->precision},
          {"recall", labels->recall},
          {"broken", labels->broken},
          {"said", labels->said}};
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
          {"displacement", displacement_json(piece.displacement)},
          {"labels", labels_json(piece.labels)}};
}

Json joint_json(const JointRecord& joint) {
  return {{"a", joint.a},
          {"b", joint.b},
          {"confidence", joint.confidence},
          {"band", band_name(joint.band)},
          {"right", joint.right}};
}

Json reliability_json(std::span<const Claim> claims) {
  const Reliability reliability = reliability_of(claims);
  Json json{{"calibration_error", reliability.error}, {"count", reliability.claims}};
  json["classes"] = Json::array();
  for (const ConfidenceClass& c : reliability.classes)
    json["classes"].push_back({{"from", c.low},
                               {"to", c.high},
                               {"count", c.claims},
                               {"mean_confidence", c.mean_confidence},
                               {"right", c.right}});
  return json;
}

Json confidence_json(const ConfidenceScores& scores) {
  Json json;
  for (const Band band : {Band::confirmed, Band::probable, Band::rejected}) {
    const BandCount& count = scores.by_band[static_cast<std::size_t>(band)];
    json["bands"][band_name(band)] = {{"joints", count.joints}, {"right", count.right}};
  }
  json["joints"] = reliability_json(scores.joints);
  json["pieces"] = reliability_json(scores.pieces);
  return json;
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
  json["joints"] = Json::array();
  for (const JointRecord& joint : sample.joints) json["joints"].push_back(joint_json(joint));
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

Result<std::map<std::string, std::string>> read_texts(const fields::Json& json, const char* key,
                                                      const fields::Where& where) {
  const fields::Json* object = fields::find(json, key);
  if (object == nullptr || !object->is_object()) return where.error(key, "an object");
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : object->items()) {
    if (!value.is_string()) return where.error(key, "an object of texts");
    texts[name] = value.get<std::string>();
  }
  return texts;
}

/// A field and where its value goes.
using NumberField = std::pair<const char*, double*>;

Status read_numbers(const fields::Json& json, std::span<const NumberField> numbers,
                    const fields::Where& where) {
  for (const auto& [key, target] : numbers) {
    PMTR_TRY(*target, fields::number(json, key, -fields::any_number, fields::any_number, where));
  }
  return {};
}

Result<std::optional<double>> read_number_or_null(const fields::Json& json, const char* key,
                                                  const fields::Where& where) {
  const fields::Json* value = fields::find(json, key);
  if (value != nullptr && value->is_null()) return std::optional<double>();
  PMTR_TRY(const double number, fields::number(json, key, -fields::any_number, fields::any_number, where));
  return std::optional<double>(number);
}

Result<Rigid3> read_displacement(const fields::Json& json, const fields::Where& where) {
  const Error wrong = where.error("displacement", "3 rows of 4 numbers");
  PMTR_TRY(const fields::Json* rows, fields::list(json, "displacement", where));
  if (rows->size() != 3) return wrong;
  Rigid3 pose;
  for (Eigen::Index i = 0; i < 3; ++i) {
    const fields::Json& row = (*rows)[static_cast<std::size_t>(i)];
    if (!row.is_array() || row.size() != 4) return wrong;
    for (const fields::Json& value : row) {
      if (!value.is_number()) return wrong;
    }
    for (Eigen::Index k = 0; k < 3; ++k) pose.rotation(i, k) = row[static_cast<std::size_t>(k)].get<double>();
    pose.translation[i] = row[3].get<double>();
  }
  return pose;
}

Result<PieceRecord> read_piece(const fields::Json& json, const fields::Where& where) {
  PieceRecord piece;
  PartScores& s = piece.scores;
  const NumberField numbers[] = {{"share", &piece.share}, {"confidence", &piece.confidence},
                                 {"rot_deg", &s.rot_deg}, {"trans", &s.trans},
                                 {"cd", &s.cd},           {"crd", &s.crd}};
  PMTR_TRY_STATUS(read_numbers(json, numbers, where));
  PMTR_TRY(s.anchor, fields::truth(json, "anchor", where));
  PMTR_TRY(s.placed, fields::truth(json, "placed", where));
  if (!fields::is_null(json, "displacement")) {
    PMTR_TRY(piece.displacement, read_displacement(json, where));
  }
  // Files of earlier versions have none.
  if (const fields::Json* labels = fields::find(json, "labels"); labels != nullptr && !labels->is_null()) {
    LabelScore& score = piece.labels.emplace();
    score.share = piece.share;
    const NumberField own[] = {{"auc", &score.auc},
                               {"precision", &score.precision},
                               {"recall", &score.recall},
                               {"broken", &score.broken},
                               {"said", &score.said}};
    const fields::Where inside{where.file, where.prefix + "labels."};
    PMTR_TRY_STATUS(read_numbers(*labels, own, inside));
  }
  return piece;
}

Result<JointRecord> read_joint(const fields::Json& json, std::int64_t pieces, const fields::Where& where) {
  JointRecord joint;
  PMTR_TRY(const std::int64_t a, fields::whole(json, "a", 0, pieces - 1, where));
  PMTR_TRY(const std::int64_t b, fields::whole(json, "b", 0, pieces - 1, where));
  joint.a = static_cast<int>(a);
  joint.b = static_cast<int>(b);
  PMTR_TRY(joint.confidence, fields::number(json, "confidence", 0.0, 1.0, where));
  PMTR_TRY(joint.right, fields::truth(json, "right", where));
  PMTR_TRY(const std::string band, fields::text(json, "band", where));
  for (const Band known : {Band::confirmed, Band::probable, Band::rejected}) {
    if (band != band_name(known)) continue;
    joint.band = known;
    return joint;
  }
  return where.error("band", "confirmed, probable or rejected");
}

Result<SampleRecord> read_sample(const fields::Json& json, std::size_t index, const std::string& file) {
  SampleRecord sample;
  fields::Where where{file, fmt::format("samples[{}].", index)};
  PMTR_TRY(sample.path, fields::text(json, "path", where));
  where.prefix = sample.path + ": ";
  PMTR_TRY(sample.object, fields::text(json, "object", where));
  PMTR_TRY(sample.category, fields::text(json, "category", where));
  AssemblyScores& s = sample.scores;
  const NumberField numbers[] = {{"crd", &s.crd},
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
  PMTR_TRY_STATUS(read_numbers(json, numbers, where));
  PMTR_TRY(s.complete, fields::truth(json, "complete", where));
  PMTR_TRY(sample.coarse_inliers, read_number_or_null(json, "coarse_inliers", where));
  PMTR_TRY(sample.fine_inliers, read_number_or_null(json, "fine_inliers", where));
  PMTR_TRY(const fields::Json* pieces, fields::list(json, "pieces", where));
  if (pieces->size() < 2) return where.error("pieces", "a list of at least two");
  for (std::size_t i = 0; i < pieces->size(); ++i) {
    const fields::Where place{file, fmt::format("{}pieces[{}].", where.prefix, i)};
    PMTR_TRY(PieceRecord piece, read_piece((*pieces)[i], place));
    sample.pieces.push_back(piece);
    s.parts.push_back(piece.scores);
  }
  if (fields::find(json, "joints") == nullptr) return sample;  // files of earlier versions have none
  PMTR_TRY(const fields::Json* joints, fields::list(json, "joints", where));
  for (std::size_t i = 0; i < joints->size(); ++i) {
    const fields::Where place{file, fmt::format("{}joints[{}].", where.prefix, i)};
    PMTR_TRY(const JointRecord joint,
             read_joint((*joints)[i], static_cast<std::int64_t>(sample.pieces.size()), place));
    sample.joints.push_back(joint);
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
  json["count_anchor"] = evaluation.count_anchor;
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
  json["confidence"] = confidence_json(confidence_scores(evaluation.samples));
  json["failures"] = evaluation.failures;
  json["samples"] = Json::array();
  for (const SampleRecord& sample : evaluation.samples) json["samples"].push_back(sample_json(sample));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Evaluation> parse_evaluation(std::string_view text, const std::string& name) {
  PMTR_TRY(const fields::Json json, fields::parse(text, name));
  const fields::Where where{name, ""};
  Evaluation evaluation;
  PMTR_TRY_STATUS(fields::whole(json, "version", 1, 1, where));
  PMTR_TRY(evaluation.config, read_texts(json, "config", where));
  PMTR_TRY(evaluation.failures, read_texts(json, "failures", where));
  PMTR_TRY(evaluation.finished, fields::truth(json, "finished", where));
  // Files from before there was a choice do not have it: they counted the anchor.
  if (fields::find(json, "count_anchor") != nullptr) {
    PMTR_TRY(evaluation.count_anchor, fields::truth(json, "count_anchor", where));
  }
  PMTR_TRY(const fields::Json* samples, fields::list(json, "samples", where));
  for (std::size_t i = 0; i < samples->size(); ++i) {
    PMTR_TRY(SampleRecord sample, read_sample((*samples)[i], i, name));
    evaluation.samples.push_back(std::move(sample));
  }
  return evaluation;
}

Result<Evaluation> merge_evaluations(std::span<const Evaluation> shards) {
  Evaluation merged;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    std::map<std::string, std::string> config = shards[i].config;
    config.erase("shard");
    if (i == 0) {
      merged.config = config;
      merged.count_anchor = shards[i].count_anchor;
    }
    if (shards[i].count_anchor != merged.count_anchor)
      return Error{Cause::mismatch, "some shards count the anchor as a part, others do not", {}};
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
