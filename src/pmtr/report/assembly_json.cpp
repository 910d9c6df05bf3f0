// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/assembly_json.h"

#include <cmath>

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

Json joint_json(const Joint& joint, const JointVerdict* verdict) {
  Json json;
  json["a"] = joint.a;
  json["b"] = joint.b;
  json["a_from_b"] = matrix_json(joint.a_from_b);
  json["confidence"] = joint.confidence;
  json["used"] = joint.used;
  const bool touching = joint.contact && joint.contact->points > 0;
  json["contact_area"] = joint.contact ? Json(joint.contact->area) : Json();
  json["gap_mean"] = touching ? Json(joint.contact->gap_mean) : Json();
  json["gap_p95"] = touching ? Json(joint.contact->gap_p95) : Json();
  json["penetration"] = touching ? Json(joint.contact->penetration) : Json();
  json["matches"] = joint.matches;
  if (verdict != nullptr) {
    json["fate"] = fate_name(verdict->fate);
    json["residual_deg"] = verdict->residual_deg ? Json(*verdict->residual_deg) : Json();
    json["residual_shift"] = verdict->residual_shift ? Json(*verdict->residual_shift) : Json();
  }
  return json;
}

}  // namespace

std::string assembly_json(const Assembly& assembly, const AssemblyContext& context) {
  PMTR_CHECK(context.files.size() == assembly.parts.size(), "one file name per part");
  Json json;
  json["version"] = 1;
  json["seed"] = context.seed;
  json["units"] = context.units.empty() ? Json() : Json(context.units);
  json["weights"] = context.weights;
  json["object_size"] = context.object_size;
  json["parts"] = Json::array();
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    const PlacedPart& part = assembly.parts[i];
    Json entry;
    entry["file"] = context.files[i];
    entry["placed"] = part.placed;
    entry["anchor"] = part.anchor;
    entry["component"] = part.component;
    entry["world_from_part"] = matrix_json(part.world_from_part);
    entry["confidence"] = part.confidence;
    json["parts"].push_back(std::move(entry));
  }
  json["joints"] = Json::array();
  PMTR_CHECK(assembly.verdicts.empty() || assembly.verdicts.size() == assembly.joints.size(),
             "a verdict on every joint, or on none");
  for (std::size_t i = 0; i < assembly.joints.size(); ++i) {
    json["joints"].push_back(
        joint_json(assembly.joints[i], assembly.verdicts.empty() ? nullptr : &assembly.verdicts[i]));
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

}  // namespace pmtr
