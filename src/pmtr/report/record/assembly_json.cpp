// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/assembly_json.h"

#include <cmath>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

using Json = nlohmann::ordered_json;

Json matrix_json(const Rigid3& pose) {
  Json rows = Json::array();
  const Eigen::Matrix4d m = pose.matrix();
  for (int i = 0; i < 4; ++i) rows.push_back({m(i, 0), m(i, 1), m(i, 2), m(i, 3)});
  return rows;
}

Json rounded(double value, double step) { return std::round(value / step) * step; }

Json joint_json(const Joint& joint, int rank) {
  Json json;
  json["a"] = joint.a;
  json["b"] = joint.b;
  json["rank"] = rank;
  json["a_from_b"] = matrix_json(joint.a_from_b);
  json["confidence"] = joint.confidence;
  json["used"] = joint.used;
  const bool touching = joint.contact && joint.contact->points > 0;
  json["contact_points"] = joint.contact ? Json(joint.contact->points) : Json();
  json["contact_area"] = joint.contact ? Json(joint.contact->area) : Json();
  json["gap_mean"] = touching ? Json(joint.contact->gap_mean) : Json();
  json["gap_p95"] = touching ? Json(joint.contact->gap_p95) : Json();
  json["penetration"] = touching ? Json(joint.contact->penetration) : Json();
  json["matches"] = joint.matches;
  return json;
}

}  // namespace

std::vector<std::string> AssemblyContext::names() const {
  std::vector<std::string> out;
  for (const std::string& file : files) out.push_back(std::filesystem::path(file).filename().string());
  return out;
}

std::string fate_word(const AssemblyRecord& record, std::size_t joint) {
  const Joint& j = record.assembly.joints[joint];
  if (record.context.dropped(static_cast<std::size_t>(j.a)) ||
      record.context.dropped(static_cast<std::size_t>(j.b)))
    return "dropped";
  if (record.context.decision(joint) == Decision::reject) return "rejected";
  if (!record.assembly.verdicts.empty()) return fate_name(record.assembly.verdicts[joint].fate);
  return fate_name(j.used ? JointFate::used : JointFate::weak);
}

std::string assembly_json(const Assembly& assembly, const AssemblyContext& context) {
  const std::size_t count = assembly.parts.size();
  PMTR_CHECK(context.files.size() == count, "one file name per part");
  const auto fits = [count](const auto& list) { return list.empty() || list.size() == count; };
  PMTR_CHECK(fits(context.relative_files) && fits(context.placed_files) && fits(context.shapes) &&
                 fits(context.decisions.dropped),
             "lists are empty or have one entry per part");
  PMTR_CHECK(assembly.verdicts.empty() || assembly.verdicts.size() == assembly.joints.size(),
             "a verdict on every joint, or on none");
  Json json;
  json["version"] = 1;
  json["seed"] = context.seed;
  json["units"] = context.units.empty() ? "unknown" : context.units;
  json["weights"] = context.weights;
  json["object_size"] = context.object_size;
  json["parts"] = Json::array();
  for (std::size_t i = 0; i < count; ++i) {
    const PlacedPart& part = assembly.parts[i];
    Json entry;
    entry["file"] = context.files[i];
    if (!context.relative_files.empty()) entry["relative_file"] = context.relative_files[i];
    if (!context.placed_files.empty()) {
      entry["placed_file"] = part.placed ? Json(context.placed_files[i]) : Json();
    }
    entry["placed"] = part.placed;
    entry["anchor"] = part.anchor;
    entry["component"] = part.component;
    entry["world_from_part"] = matrix_json(part.world_from_part);
    entry["confidence"] = part.confidence;
    if (!context.shapes.empty()) {
      const PartShape& shape = context.shapes[i];
      entry["centre"] = {shape.centre.x(), shape.centre.y(), shape.centre.z()};
      entry["area"] = shape.area;
    }
    if (context.dropped(i)) entry["dropped"] = true;
    json["parts"].push_back(std::move(entry));
  }
  json["joints"] = Json::array();
  const AssemblyRecord record{assembly, context};
  const std::vector<int> ranks = joint_ranks(assembly.joints);
  for (std::size_t i = 0; i < assembly.joints.size(); ++i) {
    Json entry = joint_json(assembly.joints[i], ranks[i]);
    if (!assembly.verdicts.empty()) {
      const JointVerdict& verdict = assembly.verdicts[i];
      entry["fate"] = fate_word(record, i);
      entry["residual_deg"] = verdict.residual_deg ? Json(*verdict.residual_deg) : Json();
      entry["residual_shift"] = verdict.residual_shift ? Json(*verdict.residual_shift) : Json();
    }
    if (context.decision(i) != Decision::none) entry["decision"] = decision_name(context.decision(i));
    json["joints"].push_back(std::move(entry));
  }
  json["certificate"] = Json();
  if (assembly.certificate) {
    const Certificate& c = *assembly.certificate;
    json["certificate"] = {
        {"optimal", c.optimal}, {"min_eigenvalue", c.min_eigenvalue}, {"cost", c.cost}, {"rank", c.rank}};
  }
  json["timing_ms"] = Json::object();
  for (const auto& [stage, ms] : context.timing_ms) json["timing_ms"][stage] = rounded(ms, 0.001);
  json["peak_rss_mb"] = rounded(context.peak_rss_mb, 0.1);
  // File names may hold bytes that are not UTF-8: replace them rather than fail.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Constraints constraints_of(const AssemblyRecord& record) {
  Constraints out;
  const std::vector<std::string> names = record.context.names();
  const std::vector<int> ranks = joint_ranks(record.assembly.joints);
  for (std::size_t i = 0; i < record.assembly.joints.size(); ++i) {
    const Joint& joint = record.assembly.joints[i];
    if (record.context.decision(i) == Decision::none) continue;
    out.joints.push_back({names[static_cast<std::size_t>(joint.a)], names[static_cast<std::size_t>(joint.b)],
                          ranks[i], record.context.decision(i)});
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (record.context.dropped(i)) out.drop.push_back(names[i]);
  }
  return out;
}

}  // namespace pmtr
