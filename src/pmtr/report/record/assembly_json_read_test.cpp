// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pmtr/core/random.h"
#include "pmtr/report/record/assembly_json.h"

namespace pmtr {
namespace {

using testing::HasSubstr;

AssemblyRecord some_record() {
  AssemblyRecord record;
  Random random(3);
  record.assembly.parts.resize(3);
  for (PlacedPart& part : record.assembly.parts) {
    part.placed = true;
    part.component = 0;
    part.confidence = random.uniform();
    part.world_from_part = {random.rotation(), {random.normal(), 1e6 * random.normal(), random.normal()}};
  }
  record.assembly.parts[0].anchor = true;
  record.assembly.parts[2].placed = false;
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(0, 1), std::pair(2, 1)}) {
    Joint joint;
    joint.a = a;
    joint.b = b;
    joint.a_from_b = {random.rotation(), {random.normal(), random.normal(), random.normal()}};
    joint.confidence = random.uniform();
    joint.matches = 12;
    JointEvidence evidence;
    evidence.contact_points = 70;
    evidence.contact_area = 1.5;
    evidence.gap_mean = 0.25;
    evidence.gap_p95 = 0.5;
    evidence.penetration_depth = 0.125;
    evidence.coverage_a = 0.75;
    joint.evidence = evidence;
    record.assembly.joints.push_back(joint);
  }
  record.assembly.joints[0].used = true;
  record.assembly.joints[1].evidence.reset();
  record.assembly.joints[2].evidence = JointEvidence{};
  record.assembly.verdicts = {
      {JointFate::used, 0.5, 0.1}, {JointFate::contradicts, 90.0, 2.0}, {JointFate::weak, {}, {}}};
  record.assembly.certificate = Certificate{true, -1e-12, 0.25, 3};
  AssemblyContext& context = record.context;
  context.files = {"scans/a.ply", "scans/b.obj", "c.stl"};
  context.relative_files = {"../scans/a.ply", "../scans/b.obj", "../c.stl"};
  context.placed_files = {"a.ply", "b_files/b.obj", "c.stl"};
  context.shapes = {{{1, 2, 3}, 4.5}, {{0, 0, 0}, 1.0}, {{-1, 0, 0}, 2.0}};
  context.decisions.joints = {Decision::lock, Decision::reject, Decision::none};
  context.decisions.dropped = {false, false, true};
  context.automatic = record.assembly;
  context.automatic->parts[2].placed = true;
  context.automatic->joints[1].used = true;
  context.automatic->verdicts[1] = {JointFate::used, 1.0, 0.25};
  context.solve.choose.agreement_bonus = 5.0;
  context.solve.choose.seed = 1ULL << 40U;
  context.seed = 18446744073709551615ULL;
  context.units = "mm";
  context.weights = "w.safetensors";
  context.object_size = 120.5;
  context.unit = 30.25;
  context.timing_ms = {{"pose", 1.5}};
  context.peak_rss_mb = 300.0;
  return record;
}

TEST(AssemblyJsonRead, what_is_written_comes_back) {
  const AssemblyRecord record = some_record();
  const std::string text = assembly_json(record.assembly, record.context);
  const auto back = parse_assembly_json(text, "assembly.json");
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(assembly_json(back->assembly, back->context), text);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back->assembly.parts[i].world_from_part.matrix(),
              record.assembly.parts[i].world_from_part.matrix());
    EXPECT_EQ(back->assembly.joints[i].a_from_b.matrix(), record.assembly.joints[i].a_from_b.matrix());
    EXPECT_EQ(back->assembly.joints[i].evidence.has_value(), record.assembly.joints[i].evidence.has_value());
  }
  EXPECT_EQ(back->assembly.joints[0].evidence->contact_points, 70);
  EXPECT_EQ(back->context.decisions.joints, record.context.decisions.joints);
  EXPECT_EQ(back->context.shapes[0].centre, record.context.shapes[0].centre);
  EXPECT_EQ(back->context.seed, record.context.seed);
  ASSERT_TRUE(back->context.automatic.has_value());
  EXPECT_TRUE(back->context.automatic->joints[1].used);
  EXPECT_EQ(back->context.automatic->joints[1].a_from_b.matrix(),
            record.assembly.joints[1].a_from_b.matrix());
  EXPECT_EQ(back->context.solve.choose.agreement_bonus, 5.0);
  EXPECT_EQ(fate_word(*back, 1), "rejected");
  EXPECT_EQ(fate_word(*back, 2), "dropped");
  const Constraints constraints = constraints_of(*back);
  ASSERT_EQ(constraints.joints.size(), 2U);
  EXPECT_EQ(constraints.joints[1].file_a, "a.ply");
  EXPECT_EQ(constraints.joints[1].rank, 1);
  EXPECT_EQ(constraints.drop, std::vector<std::string>{"c.stl"});
}

TEST(AssemblyJsonRead, units_are_never_guessed) {
  AssemblyRecord record = some_record();
  record.context.units.clear();
  const std::string text = assembly_json(record.assembly, record.context);
  EXPECT_THAT(text, HasSubstr("\"units\": \"unknown\""));
  EXPECT_EQ(parse_assembly_json(text, "f")->context.units, "");
}

TEST(AssemblyJsonRead, a_file_of_the_first_kind_is_read) {
  // Without ranks, shapes, decisions and relative names.
  Assembly assembly = some_record().assembly;
  AssemblyContext context;
  context.files = {"a", "b", "c"};
  nlohmann::json json = nlohmann::json::parse(assembly_json(assembly, context));
  json["units"] = nullptr;
  for (auto& joint : json["joints"]) {
    joint.erase("rank");
    joint.erase("contact_points");
  }
  const auto back = parse_assembly_json(json.dump(), "f");
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(back->assembly.joints[0].evidence->contact_points, 1);
  EXPECT_EQ(back->assembly.joints[2].evidence->contact_points, 0);
}

TEST(AssemblyJsonRead, what_is_wrong_is_named) {
  const AssemblyRecord record = some_record();
  const nlohmann::json good = nlohmann::json::parse(assembly_json(record.assembly, record.context));
  const auto refused = [&](const char* pointer, const nlohmann::json& value, const char* words) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = value;
    const auto read = parse_assembly_json(bad.dump(), "f.json");
    ASSERT_FALSE(read.ok()) << pointer;
    EXPECT_THAT(read.error().text(), testing::AllOf(HasSubstr("f.json"), HasSubstr(words))) << pointer;
  };
  refused("/version", 2, "version");
  refused("/seed", -1, "seed");
  refused("/units", 3, "units");
  refused("/object_size", "big", "object_size");
  refused("/parts", 5, "parts");
  refused("/parts/1", 5, "parts[1]");
  refused("/parts/1/file", "", "parts[1].file");
  refused("/parts/1/placed", 1, "parts[1].placed");
  refused("/parts/1/component", -2, "component");
  refused("/parts/1/confidence", 1.5, "confidence");
  refused("/parts/1/world_from_part", nullptr, "world_from_part");
  refused("/parts/1/world_from_part/0", {1, 2, 3}, "world_from_part");
  refused("/parts/1/world_from_part/0/0", 7.0, "rotation");
  refused("/parts/1/world_from_part/3/3", 2.0, "rotation");
  refused("/parts/1/area", -1, "area");
  refused("/parts/1/centre", {1, 2}, "centre");
  refused("/joints/0/a", 3, "joints[0].a");
  refused("/joints/0/a", 1, "joints[0].b");
  refused("/joints/0/b", 1e300, "joints[0].b");
  refused("/joints/0/matches", -1, "matches");
  refused("/joints/0/gap_mean", -0.5, "gap_mean");
  refused("/joints/0/contact_points", "x", "contact_points");
  refused("/joints/0/fate", "lost", "fate");
  refused("/joints/0/fate", nullptr, "fate");
  refused("/joints/0/decision", "maybe", "decision");
  refused("/certificate", 1, "certificate");
  refused("/certificate/rank", -1, "rank");
  refused("/timing_ms", {1}, "timing_ms");
  EXPECT_FALSE(parse_assembly_json("", "f").ok());
  EXPECT_FALSE(parse_assembly_json("{}", "f").ok());
  EXPECT_FALSE(parse_assembly_json("{\"version\": 1e999}", "f").ok());
  EXPECT_FALSE(parse_assembly_json(std::string(100000, '['), "f").ok());
}

}  // namespace
}  // namespace pmtr
