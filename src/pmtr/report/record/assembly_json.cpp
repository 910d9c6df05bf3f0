// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/assembly_json.h"

#include <cmath>

#include "pmtr/assemble/witnesses.h"
#include "pmtr/core/check.h"
#include "pmtr/formats/pose_json.h"
#include "pmtr/report/record/distinct_names.h"

namespace pmtr {
namespace {

using json_fields::Json;

Json rounded(double value, double step) { return std::round(value / step) * step; }

Json joint_json(const Joint& joint, int rank) {
  Json json;
  json["a"] = joint.a;
  json["b"] = joint.b;
  json["rank"] = rank;
  json["a_from_b"] = pose_rows(joint.a_from_b);
  json["confidence"] = joint.confidence;
  json["used"] = joint.used;
  // A number that was not measured, or of a contact that is not there, is null.
  const JointEvidence* evidence = joint.evidence ? &*joint.evidence : nullptr;
  const JointEvidence* contact = evidence != nullptr && evidence->contact_points > 0 ? evidence : nullptr;
  json["contact_points"] = evidence != nullptr ? Json(evidence->contact_points) : Json();
  json["contact_area"] = evidence != nullptr ? Json(evidence->contact_area) : Json();
  json["gap_mean"] = contact != nullptr ? Json(contact->gap_mean) : Json();
  json["gap_p95"] = contact != nullptr ? Json(contact->gap_p95) : Json();
  json["penetration"] = contact != nullptr ? Json(contact->penetration_depth) : Json();
  json["coverage_a"] = contact != nullptr ? Json(contact->coverage_a) : Json();
  json["coverage_b"] = contact != nullptr ? Json(contact->coverage_b) : Json();
  json["matches"] = joint.matches;
  json["band"] = band_name(band_of(joint));
  if (joint.witnesses) {
    json["reason"] = band_reason(joint);
    Json& witnesses = json["witnesses"];
    for_each_witness(*joint.witnesses, [&](const char* name, const auto& value) { witnesses[name] = value; });
  }
  return json;
}

Json pose_of_part_json(const PlacedPart& part) {
  Json json;
  json["placed"] = part.placed;
  json["anchor"] = part.anchor;
  json["component"] = part.component;
  json["world_from_part"] = pose_rows(part.world_from_part);
  json["confidence"] = part.confidence;
  json["band"] = band_name(band_of(part));
  json["open_share"] = part.open_share ? Json(*part.open_share) : Json();
  return json;
}

void add_residuals(const JointVerdict& verdict, Json& json) {
  json["residual_deg"] = verdict.residual_deg ? Json(*verdict.residual_deg) : Json();
  json["residual_shift"] = verdict.residual_shift ? Json(*verdict.residual_shift) : Json();
}

Json certificate_json(const std::optional<Certificate>& certificate) {
  if (!certificate) return {};
  return {{"optimal", certificate->optimal},
          {"min_eigenvalue", certificate->min_eigenvalue},
          {"cost", certificate->cost},
          {"rank", certificate->rank}};
}

/// What of an assembly decisions change: poses, and what became of the joints.
Json automatic_json(const Assembly& assembly) {
  Json json;
  json["parts"] = Json::array();
  for (const PlacedPart& part : assembly.parts) json["parts"].push_back(pose_of_part_json(part));
  json["joints"] = Json::array();
  for (std::size_t j = 0; j < assembly.joints.size(); ++j) {
    Json entry;
    entry["used"] = assembly.joints[j].used;
    entry["fate"] = fate_name(assembly.verdicts[j].fate);
    add_residuals(assembly.verdicts[j], entry);
    json["joints"].push_back(std::move(entry));
  }
  json["certificate"] = certificate_json(assembly.certificate);
  return json;
}

}  // namespace

std::vector<std::string> AssemblyContext::names() const { return distinct_names(files); }

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
  json["solver_unit"] = context.solver_unit();
  if (context.size_is_given) json["object_size_from"] = *context.size_is_given ? "given" : "estimated";
  json["open_share"] = assembly.open_share ? Json(*assembly.open_share) : Json();
  json["parts"] = Json::array();
  for (std::size_t i = 0; i < count; ++i) {
    const PlacedPart& part = assembly.parts[i];
    Json entry;
    entry["file"] = context.files[i];
    if (!context.relative_files.empty()) entry["relative_file"] = context.relative_files[i];
    if (!context.placed_files.empty()) {
      entry["placed_file"] = part.placed ? Json(context.placed_files[i]) : Json();
    }
    entry.update(pose_of_part_json(part));
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
      add_residuals(verdict, entry);
    }
    if (context.decision(i) != Decision::none) entry["decision"] = decision_name(context.decision(i));
    json["joints"].push_back(std::move(entry));
  }
  json["certificate"] = certificate_json(assembly.certificate);
  json["solver"] = Json::object();
  for_each_field(context.solve, [&](const char* name, const auto& value) { json["solver"][name] = value; });
  for (const AppliedPlacement& placed : context.decisions.placed) {
    json["placed_by_hand"].push_back({{"part", placed.part},
                                      {"on", placed.on},
                                      {"on_from_part", pose_rows(placed.on_from_part)},
                                      {"group", placed.group}});
  }
  if (context.automatic) json["automatic"] = automatic_json(*context.automatic);
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
  for (const AppliedPlacement& placed : record.context.decisions.placed) {
    out.placed.push_back({names[static_cast<std::size_t>(placed.part)],
                          names[static_cast<std::size_t>(placed.on)], placed.on_from_part, placed.group});
  }
  return out;
}

}  // namespace pmtr
