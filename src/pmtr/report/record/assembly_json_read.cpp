// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <array>

#include "pmtr/formats/field_reader.h"
#include "pmtr/formats/pose_json.h"
#include "pmtr/report/record/assembly_json.h"

namespace pmtr {
namespace {

namespace fields = json_fields;
using fields::Json;
using fields::Where;

Result<Json> entry(const Json& list, std::size_t index, const char* key, const std::string& file) {
  if (!list[index].is_object())
    return fields::wrong(file, fmt::format("{}[{}] is not an object", key, index));
  return list[index];
}

Result<PlacedPart> read_placed_part(const Json& json, const Where& where) {
  PlacedPart part;
  PMTR_TRY(part.placed, fields::truth(json, "placed", where));
  PMTR_TRY(part.anchor, fields::truth(json, "anchor", where));
  PMTR_TRY(const std::int64_t component, fields::whole(json, "component", -1, 1'000'000'000, where));
  part.component = static_cast<int>(component);
  PMTR_TRY(part.world_from_part, pose_at(json, "world_from_part", where));
  PMTR_TRY(part.confidence, fields::number(json, "confidence", 0, 1, where));
  if (!fields::is_null(json, "open_share")) {
    PMTR_TRY(part.open_share, fields::number(json, "open_share", 0, 1, where));
  }
  return part;
}

Status read_part(const Json& json, const Where& where, AssemblyRecord& record) {
  AssemblyContext& context = record.context;
  PMTR_TRY(std::string name, fields::text(json, "file", where));
  if (name.empty()) return where.error("file", "a file name");
  context.files.push_back(std::move(name));
  const auto optional_text = [&](const char* key, std::vector<std::string>& out) -> Status {
    out.emplace_back();
    if (fields::is_null(json, key)) return {};
    PMTR_TRY(out.back(), fields::text(json, key, where));
    return {};
  };
  PMTR_TRY_STATUS(optional_text("relative_file", context.relative_files));
  PMTR_TRY_STATUS(optional_text("placed_file", context.placed_files));
  PMTR_TRY(const PlacedPart part, read_placed_part(json, where));
  PartShape shape;
  if (!fields::is_null(json, "area")) {
    PMTR_TRY(shape.area, fields::number(json, "area", 0, fields::any_number, where));
    const Json* centre = fields::find(json, "centre");
    std::array<double, 3> xyz;
    if (centre == nullptr || !fields::convert(*centre, xyz))
      return where.error("centre", "a list of 3 numbers");
    shape.centre = {xyz[0], xyz[1], xyz[2]};
  }
  context.shapes.push_back(shape);
  context.decisions.dropped.push_back(false);
  if (!fields::is_null(json, "dropped")) {
    PMTR_TRY(const bool dropped, fields::truth(json, "dropped", where));
    context.decisions.dropped.back() = dropped;
  }
  record.assembly.parts.push_back(part);
  return {};
}

Status read_evidence(const Json& json, const Where& where, Joint& joint) {
  if (fields::is_null(json, "contact_area")) return {};
  JointEvidence evidence;
  PMTR_TRY(evidence.contact_area, fields::number(json, "contact_area", 0, fields::any_number, where));
  // Files of earlier versions do not say how many points; any number tells "touching" from "not".
  evidence.contact_points = fields::is_null(json, "gap_mean") ? 0 : 1;
  if (!fields::is_null(json, "contact_points")) {
    PMTR_TRY(const std::int64_t points, fields::whole(json, "contact_points", 0, INT32_MAX, where));
    evidence.contact_points = static_cast<int>(points);
  }
  if (evidence.contact_points > 0) {
    PMTR_TRY(evidence.gap_mean, fields::number(json, "gap_mean", 0, fields::any_number, where));
    PMTR_TRY(evidence.gap_p95, fields::number(json, "gap_p95", 0, fields::any_number, where));
    PMTR_TRY(evidence.penetration_depth, fields::number(json, "penetration", 0, fields::any_number, where));
    if (!fields::is_null(json, "coverage_a")) {
      PMTR_TRY(evidence.coverage_a, fields::number(json, "coverage_a", 0, 1, where));
      PMTR_TRY(evidence.coverage_b, fields::number(json, "coverage_b", 0, 1, where));
    }
  }
  joint.evidence = evidence;
  return {};
}

/// A number of any kind into `value`, where `state` has no error yet.
template <class Value>
void read_value(const Json& json, const char* name, const Where& where, Value& value, Status& state) {
  if (!state.ok()) return;
  if constexpr (std::is_integral_v<Value>) {
    auto read = fields::whole(json, name, 0, sizeof(Value) > 4 ? INT64_MAX : INT32_MAX, where);
    if (read.ok()) value = static_cast<Value>(*read);
    if (!read.ok()) state = read.error();
  } else {
    auto read = fields::number(json, name, -fields::any_number, fields::any_number, where);
    if (read.ok()) value = *read;
    if (!read.ok()) state = read.error();
  }
}

/// Files of earlier versions have none.
Status read_witnesses(const Json& json, const Where& where, Joint& joint) {
  if (fields::is_null(json, "witnesses")) return {};
  const Json& list = json["witnesses"];
  if (!list.is_object()) return where.error("witnesses", "an object");
  const Where inside{where.file, where.prefix + "witnesses."};
  Status state;
  JointWitnesses witnesses;
  for_each_witness(witnesses,
                   [&](const char* name, auto& value) { read_value(list, name, inside, value, state); });
  joint.witnesses = witnesses;
  return state;
}

Result<JointFate> fate(const std::string& word, const Where& where) {
  for (const JointFate known :
       {JointFate::used, JointFate::spare, JointFate::weak, JointFate::contradicts, JointFate::unjoined}) {
    if (word == fate_name(known)) return known;
  }
  if (word == "rejected" || word == "dropped") return JointFate::weak;  // the decision says the rest
  return where.error("fate", "a word that is known");
}

Status read_verdict(const Json& json, const Where& where, Assembly& assembly) {
  if (fields::is_null(json, "fate")) return {};
  JointVerdict verdict;
  PMTR_TRY(const std::string word, fields::text(json, "fate", where));
  PMTR_TRY(verdict.fate, fate(word, where));
  if (!fields::is_null(json, "residual_deg")) {
    PMTR_TRY(verdict.residual_deg, fields::number(json, "residual_deg", 0, 360, where));
  }
  if (!fields::is_null(json, "residual_shift")) {
    PMTR_TRY(verdict.residual_shift, fields::number(json, "residual_shift", 0, fields::any_number, where));
  }
  assembly.verdicts.push_back(verdict);
  return {};
}

Status read_joint(const Json& json, const Where& where, AssemblyRecord& record) {
  const auto last = static_cast<std::int64_t>(record.assembly.parts.size()) - 1;
  Joint joint;
  PMTR_TRY(const std::int64_t a, fields::whole(json, "a", 0, last, where));
  PMTR_TRY(const std::int64_t b, fields::whole(json, "b", 0, last, where));
  if (a == b) return where.error("b", "another part than a");
  joint.a = static_cast<int>(a);
  joint.b = static_cast<int>(b);
  PMTR_TRY(joint.a_from_b, pose_at(json, "a_from_b", where));
  PMTR_TRY(joint.confidence, fields::number(json, "confidence", 0, 1, where));
  PMTR_TRY(joint.used, fields::truth(json, "used", where));
  PMTR_TRY(const std::int64_t matches, fields::whole(json, "matches", 0, INT32_MAX, where));
  joint.matches = static_cast<int>(matches);
  PMTR_TRY_STATUS(read_evidence(json, where, joint));
  PMTR_TRY_STATUS(read_witnesses(json, where, joint));
  record.assembly.joints.push_back(joint);
  PMTR_TRY_STATUS(read_verdict(json, where, record.assembly));
  Decision decision = Decision::none;
  if (!fields::is_null(json, "decision")) {
    PMTR_TRY(const std::string word, fields::text(json, "decision", where));
    if (word == decision_name(Decision::lock)) {
      decision = Decision::lock;
    } else if (word == decision_name(Decision::reject)) {
      decision = Decision::reject;
    } else {
      return where.error("decision", "\"lock\" or \"reject\"");
    }
  }
  record.context.decisions.joints.push_back(decision);
  return {};
}

Result<std::optional<Certificate>> read_certificate(const Json& json, const Where& where) {
  if (fields::is_null(json, "certificate")) return std::optional<Certificate>();
  const Json& c = json["certificate"];
  if (!c.is_object()) return where.error("certificate", "an object");
  const Where inside{where.file, where.prefix + "certificate."};
  Certificate certificate;
  PMTR_TRY(certificate.optimal, fields::truth(c, "optimal", inside));
  PMTR_TRY(certificate.min_eigenvalue,
           fields::number(c, "min_eigenvalue", -fields::any_number, fields::any_number, inside));
  PMTR_TRY(certificate.cost, fields::number(c, "cost", -fields::any_number, fields::any_number, inside));
  PMTR_TRY(const std::int64_t rank, fields::whole(c, "rank", 0, 1'000'000, inside));
  certificate.rank = static_cast<int>(rank);
  return std::optional(certificate);
}

/// Files of earlier versions do not say it: they were made with the defaults.
Status read_solver(const Json& json, const Where& where, SolveOptions& options) {
  if (fields::is_null(json, "solver")) return {};
  const Json& solver = json["solver"];
  if (!solver.is_object()) return where.error("solver", "an object");
  const Where inside{where.file, where.prefix + "solver."};
  Status state;
  for_each_field(options,
                 [&](const char* name, auto& value) { read_value(solver, name, inside, value, state); });
  if (!state.ok()) return state;
  const Status valid = options.validate();
  if (!valid.ok()) return where.error("solver", "options that are possible: " + valid.error().message);
  return {};
}

/// Files of earlier versions have none.
Status read_hand_placements(const Json& json, const Where& where, AssemblyRecord& record) {
  if (fields::is_null(json, "placed_by_hand")) return {};
  const auto last = static_cast<std::int64_t>(record.assembly.parts.size()) - 1;
  PMTR_TRY(const Json* list, fields::list(json, "placed_by_hand", where));
  for (std::size_t i = 0; i < list->size(); ++i) {
    PMTR_TRY(const Json one, entry(*list, i, "placed_by_hand", where.file));
    const Where there{where.file, fmt::format("placed_by_hand[{}].", i)};
    AppliedPlacement placed;
    PMTR_TRY(const std::int64_t part, fields::whole(one, "part", 0, last, there));
    PMTR_TRY(const std::int64_t on, fields::whole(one, "on", 0, last, there));
    placed.part = static_cast<int>(part);
    placed.on = static_cast<int>(on);
    if (part == on || record.context.decisions.is_placed(placed.part))
      return there.error("part", "a part that is put in one place, on another");
    PMTR_TRY(placed.on_from_part, pose_at(one, "on_from_part", there));
    PMTR_TRY(placed.group, fields::truth(one, "group", there));
    record.context.decisions.placed.push_back(placed);
  }
  return {};
}

/// The poses and verdicts that stood before any decision; the joints themselves are those of the record.
Status read_automatic(const Json& json, const Where& where, AssemblyRecord& record) {
  if (fields::is_null(json, "automatic")) return {};
  const Json& before = json["automatic"];
  if (!before.is_object()) return where.error("automatic", "an object");
  const Where inside{where.file, "automatic."};
  Assembly automatic = record.assembly;
  automatic.verdicts.clear();
  PMTR_TRY(const Json* parts, fields::list(before, "parts", inside));
  PMTR_TRY(const Json* joints, fields::list(before, "joints", inside));
  if (parts->size() != automatic.parts.size() || joints->size() != automatic.joints.size())
    return where.error("automatic", "as many parts and joints as the assembly");
  for (std::size_t i = 0; i < parts->size(); ++i) {
    PMTR_TRY(const Json part, entry(*parts, i, "automatic.parts", where.file));
    PMTR_TRY(automatic.parts[i],
             read_placed_part(part, {where.file, fmt::format("automatic.parts[{}].", i)}));
  }
  for (std::size_t i = 0; i < joints->size(); ++i) {
    PMTR_TRY(const Json joint, entry(*joints, i, "automatic.joints", where.file));
    const Where there{where.file, fmt::format("automatic.joints[{}].", i)};
    PMTR_TRY(automatic.joints[i].used, fields::truth(joint, "used", there));
    PMTR_TRY_STATUS(read_verdict(joint, there, automatic));
  }
  if (automatic.verdicts.size() != automatic.joints.size())
    return where.error("automatic", "a fate for every joint");
  PMTR_TRY(automatic.certificate, read_certificate(before, inside));
  record.context.automatic = std::move(automatic);
  return {};
}

}  // namespace

Result<AssemblyRecord> parse_assembly_json(std::string_view text, const std::string& file) {
  PMTR_TRY(const Json json, fields::parse(text, file));
  const Where top{file, ""};
  PMTR_TRY([[maybe_unused]] const std::int64_t version, fields::whole(json, "version", 1, 1, top));
  AssemblyRecord record;
  AssemblyContext& context = record.context;
  const Json* seed = fields::find(json, "seed");
  if (seed == nullptr || !seed->is_number_unsigned()) return top.error("seed", "a whole number");
  context.seed = seed->get<std::uint64_t>();
  if (!fields::is_null(json, "units")) {
    PMTR_TRY(context.units, fields::text(json, "units", top));
    if (context.units == "unknown") context.units.clear();
  }
  PMTR_TRY(context.weights, fields::text(json, "weights", top));
  PMTR_TRY(context.object_size, fields::number(json, "object_size", 0, fields::any_number, top));
  if (fields::find(json, "solver_unit") != nullptr) {  // earlier versions had the size of the object
    PMTR_TRY(context.unit, fields::number(json, "solver_unit", 0, fields::any_number, top));
  }
  if (fields::find(json, "object_size_from") != nullptr) {
    PMTR_TRY(const std::string from, fields::text(json, "object_size_from", top));
    if (from != "given" && from != "estimated") return top.error("object_size_from", "given or estimated");
    context.size_is_given = from == "given";
  }
  if (!fields::is_null(json, "open_share")) {
    PMTR_TRY(record.assembly.open_share, fields::number(json, "open_share", 0, 1, top));
  }
  PMTR_TRY(const Json* parts, fields::list(json, "parts", top));
  for (std::size_t i = 0; i < parts->size(); ++i) {
    PMTR_TRY(const Json part, entry(*parts, i, "parts", file));
    PMTR_TRY_STATUS(read_part(part, {file, fmt::format("parts[{}].", i)}, record));
  }
  PMTR_TRY(const Json* joints, fields::list(json, "joints", top));
  for (std::size_t i = 0; i < joints->size(); ++i) {
    PMTR_TRY(const Json joint, entry(*joints, i, "joints", file));
    PMTR_TRY_STATUS(read_joint(joint, {file, fmt::format("joints[{}].", i)}, record));
  }
  const Assembly& assembly = record.assembly;
  if (!assembly.verdicts.empty() && assembly.verdicts.size() != assembly.joints.size())
    return fields::wrong(file, "some joints have a fate and some have none");
  PMTR_TRY(record.assembly.certificate, read_certificate(json, top));
  PMTR_TRY_STATUS(read_solver(json, top, context.solve));
  PMTR_TRY_STATUS(read_hand_placements(json, top, record));
  PMTR_TRY_STATUS(read_automatic(json, top, record));
  if (const Json* timing = fields::find(json, "timing_ms"); timing != nullptr) {
    if (!timing->is_object()) return top.error("timing_ms", "an object");
    for (const auto& [stage, ms] : timing->items()) {
      if (!ms.is_number()) return top.error("timing_ms", "numbers");
      context.timing_ms[stage] = ms.get<double>();
    }
  }
  if (!fields::is_null(json, "peak_rss_mb")) {
    PMTR_TRY(context.peak_rss_mb, fields::number(json, "peak_rss_mb", 0, fields::any_number, top));
  }
  return record;
}

}  // namespace pmtr
