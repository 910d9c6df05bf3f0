// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/constraints.h"
#include "pmtr/formats/json_fields.h"
#include "pmtr/formats/pose_json.h"

namespace pmtr {

const char* decision_name(Decision decision) {
  switch (decision) {
    case Decision::none:
      return "none";
    case Decision::lock:
      return "lock";
    case Decision::reject:
      return "reject";
  }
  return "";
}

Result<Constraints> parse_constraints(std::string_view text, const std::string& file) {
  namespace fields = json_fields;
  PMTR_TRY(const fields::Json json, fields::parse(text, file));
  const fields::Where top{file, ""};
  PMTR_TRY([[maybe_unused]] const std::int64_t version, fields::whole(json, "version", 1, 1, top));
  Constraints constraints;
  PMTR_TRY(const fields::Json* joints, fields::list(json, "joints", top));
  for (std::size_t i = 0; i < joints->size(); ++i) {
    const fields::Json& entry = (*joints)[i];
    const fields::Where where{file, fmt::format("joints[{}].", i)};
    if (!entry.is_object()) return fields::wrong(file, fmt::format("joints[{}] is not an object", i));
    JointConstraint joint;
    PMTR_TRY(joint.file_a, fields::text(entry, "a", where));
    PMTR_TRY(joint.file_b, fields::text(entry, "b", where));
    PMTR_TRY(const std::int64_t rank, fields::whole(entry, "rank", 0, 1'000'000, where));
    joint.rank = static_cast<int>(rank);
    PMTR_TRY(const std::string decision, fields::text(entry, "decision", where));
    if (decision == decision_name(Decision::lock)) {
      joint.decision = Decision::lock;
    } else if (decision == decision_name(Decision::reject)) {
      joint.decision = Decision::reject;
    } else {
      return where.error("decision", "\"lock\" or \"reject\"");
    }
    constraints.joints.push_back(std::move(joint));
  }
  PMTR_TRY(const fields::Json* drop, fields::list(json, "drop", top));
  for (const fields::Json& name : *drop) {
    if (!name.is_string()) return top.error("drop", "a list of file names");
    constraints.drop.push_back(name.get<std::string>());
  }
  // Files of earlier versions have none.
  if (fields::is_null(json, "placed")) return constraints;
  PMTR_TRY(const fields::Json* placed, fields::list(json, "placed", top));
  for (std::size_t i = 0; i < placed->size(); ++i) {
    const fields::Json& entry = (*placed)[i];
    const fields::Where where{file, fmt::format("placed[{}].", i)};
    if (!entry.is_object()) return fields::wrong(file, fmt::format("placed[{}] is not an object", i));
    HandPlacement placement;
    PMTR_TRY(placement.fragment, fields::text(entry, "fragment", where));
    PMTR_TRY(placement.on, fields::text(entry, "on", where));
    PMTR_TRY(placement.on_from_fragment, pose_at(entry, "on_from_fragment", where));
    PMTR_TRY(placement.group, fields::truth(entry, "group", where));
    constraints.placed.push_back(std::move(placement));
  }
  return constraints;
}

std::string format_constraints(const Constraints& constraints) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["version"] = 1;
  json["joints"] = Json::array();
  for (const JointConstraint& joint : constraints.joints) {
    json["joints"].push_back({{"a", joint.file_a},
                              {"b", joint.file_b},
                              {"rank", joint.rank},
                              {"decision", decision_name(joint.decision)}});
  }
  json["drop"] = constraints.drop;
  for (const HandPlacement& placement : constraints.placed) {
    json["placed"].push_back({{"fragment", placement.fragment},
                              {"on", placement.on},
                              {"on_from_fragment", pose_rows(placement.on_from_fragment)},
                              {"group", placement.group}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pmtr
