// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/apply_decisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/joined_parts.h"

namespace pmtr {
namespace {

using test::JoinedParts;
using test::scattered_parts;
using testing::HasSubstr;

const std::vector<std::string> names = {"0.ply", "1.ply", "2.ply", "3.ply"};

/// Four parts in a chain; each pair has a right candidate and a wrong one with less evidence, but part 3 has
/// its wrong one first.
JoinedParts chain() {
  Random random(5);
  JoinedParts object = scattered_parts(4, random);
  object.add_joint(0, 1, 0.9, 0.1, 0.001, random);
  object.add_wrong_joint(0, 1, 0.6, random);
  object.add_joint(1, 2, 0.9, 0.1, 0.001, random);
  object.add_wrong_joint(1, 2, 0.6, random);
  object.add_wrong_joint(2, 3, 0.9, random);
  object.add_joint(2, 3, 0.7, 0.1, 0.001, random);
  return object;
}

Result<Assembly> solve(const JoinedParts& object, const Constraints& constraints) {
  auto applied = apply_constraints(names, object.joints, constraints);
  if (!applied.ok()) return applied.error();
  const auto automatic = solve_joints(object.parts, object.joints, 1.0, {});
  if (!automatic.ok()) return automatic.error();
  return apply_decisions(*automatic, object.parts, *applied, 1.0, {});
}

double angle_between(const Assembly& assembly, const JoinedParts& object, int joint) {
  const Joint& j = object.joints[static_cast<std::size_t>(joint)];
  const Rigid3 stands = assembly.parts[static_cast<std::size_t>(j.a)].world_from_part.inverse() *
                        assembly.parts[static_cast<std::size_t>(j.b)].world_from_part;
  return rotation_angle_deg(stands.rotation, j.a_from_b.rotation);
}

void expect_same_bits(const Assembly& before, const Assembly& after) {
  for (std::size_t i = 0; i < before.parts.size(); ++i) {
    EXPECT_EQ(before.parts[i].placed, after.parts[i].placed);
    EXPECT_EQ(before.parts[i].anchor, after.parts[i].anchor);
    EXPECT_EQ(before.parts[i].component, after.parts[i].component);
    EXPECT_EQ(before.parts[i].confidence, after.parts[i].confidence);
    EXPECT_EQ(before.parts[i].world_from_part.matrix(), after.parts[i].world_from_part.matrix());
  }
  for (std::size_t j = 0; j < before.joints.size(); ++j) {
    EXPECT_EQ(before.joints[j].used, after.joints[j].used);
    EXPECT_EQ(before.verdicts[j].fate, after.verdicts[j].fate);
  }
}

TEST(Constraints, without_any_nothing_changes) {
  const JoinedParts object = chain();
  const auto plain = solve_joints(object.parts, object.joints, 1.0, {});
  const auto constrained = solve(object, {});
  ASSERT_TRUE(plain.ok() && constrained.ok());
  expect_same_bits(*plain, *constrained);
  EXPECT_FALSE(test::JoinedParts(object).right(*constrained)[3]);  // misled, which the next tests mend
}

TEST(Constraints, a_lock_on_what_stands_moves_nothing) {
  Random random(3);
  JoinedParts object = chain();
  object.add_joint(0, 2, 0.8, 0.5, 0.002, random);  // a cycle: averaged poses are not those of the joints
  const auto plain = solve_joints(object.parts, object.joints, 1.0, {});
  ASSERT_TRUE(plain.ok());
  const auto locked = solve(object, {{{"0.ply", "1.ply", 0, Decision::lock}}, {}});
  ASSERT_TRUE(locked.ok());
  expect_same_bits(*plain, *locked);
}

TEST(Constraints, what_no_decision_touches_keeps_its_bits) {
  Random random(11);
  JoinedParts object = scattered_parts(8, random);
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) object.add_joint(a, b, 0.9, 0.5, 0.002, random);
  for (int a = 4; a < 8; ++a)
    for (int b = a + 1; b < 8; ++b) object.add_joint(a, b, 0.9, 0.5, 0.002, random);
  object.add_wrong_joint(4, 5, 0.6, random);
  const int last = static_cast<int>(object.joints.size()) - 1;
  const auto plain = solve_joints(object.parts, object.joints, 1.0, {});
  ASSERT_TRUE(plain.ok());
  AppliedConstraints decisions;
  decisions.joints.assign(object.joints.size(), Decision::none);
  decisions.dropped.assign(8, false);
  decisions.joints[static_cast<std::size_t>(last)] = Decision::lock;
  const auto locked = apply_decisions(*plain, object.parts, decisions, 1.0, {});
  ASSERT_TRUE(locked.ok());
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(plain->parts[i].world_from_part.matrix(), locked->parts[i].world_from_part.matrix());
  EXPECT_TRUE(locked->joints[static_cast<std::size_t>(last)].used);
  EXPECT_LT(angle_between(*locked, object, last), 1e-6);
  // Taken back, everything is as it was.
  decisions.joints[static_cast<std::size_t>(last)] = Decision::none;
  const auto back = apply_decisions(*plain, object.parts, decisions, 1.0, {});
  ASSERT_TRUE(back.ok());
  expect_same_bits(*plain, *back);
}

TEST(Constraints, a_rejected_joint_is_not_used) {
  const JoinedParts object = chain();
  const auto solved = solve(object, {{{"2.ply", "3.ply", 0, Decision::reject}}, {}});
  ASSERT_TRUE(solved.ok());
  EXPECT_EQ(object.right(*solved), std::vector<bool>(4, true));
  EXPECT_FALSE(solved->joints[4].used);
  EXPECT_TRUE(solved->joints[5].used);
  EXPECT_EQ(solved->verdicts[5].fate, JointFate::used);
}

TEST(Constraints, a_locked_joint_holds_exactly_against_more_evidence) {
  const JoinedParts object = chain();
  // The files may be named in either order.
  const auto solved = solve(object, {{{"3.ply", "2.ply", 1, Decision::lock}}, {}});
  ASSERT_TRUE(solved.ok());
  EXPECT_EQ(object.right(*solved), std::vector<bool>(4, true));
  EXPECT_LT(angle_between(*solved, object, 5), 1e-9);
  EXPECT_EQ(solved->verdicts[4].fate, JointFate::contradicts);
  EXPECT_TRUE(solved->joints[5].used);

  const auto wrong = solve(object, {{{"0.ply", "1.ply", 1, Decision::lock}}, {}});
  ASSERT_TRUE(wrong.ok());
  EXPECT_LT(angle_between(*wrong, object, 1), 1e-9);
  EXPECT_FALSE(wrong->joints[0].used);
}

TEST(Constraints, a_dropped_part_takes_its_joints_with_it) {
  const JoinedParts object = chain();
  const auto solved = solve(object, {{}, {"1.ply"}});
  ASSERT_TRUE(solved.ok());
  EXPECT_FALSE(solved->parts[0].placed);  // nothing else holds it
  EXPECT_FALSE(solved->parts[1].placed);
  EXPECT_TRUE(solved->parts[2].placed && solved->parts[3].placed);
  EXPECT_EQ(solved->parts[2].component, 0);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_FALSE(solved->joints[j].used);
}

TEST(Constraints, what_is_locked_stands_alone_if_nothing_else_holds) {
  const JoinedParts object = chain();
  Constraints constraints{{{"0.ply", "1.ply", 0, Decision::lock},
                           {"1.ply", "2.ply", 0, Decision::reject},
                           {"1.ply", "2.ply", 1, Decision::reject},
                           {"2.ply", "3.ply", 0, Decision::reject},
                           {"2.ply", "3.ply", 1, Decision::lock}},
                          {}};
  const auto solved = solve(object, constraints);
  ASSERT_TRUE(solved.ok());
  EXPECT_EQ(solved->parts[0].component, 0);
  EXPECT_EQ(solved->parts[1].component, 0);
  EXPECT_EQ(solved->parts[2].component, 1);
  EXPECT_EQ(solved->parts[3].component, 1);
  int anchors = 0;
  for (const PlacedPart& part : solved->parts) {
    EXPECT_TRUE(part.placed);
    EXPECT_GT(part.confidence, 0.5);
    anchors += part.anchor ? 1 : 0;
    EXPECT_TRUE(!part.anchor || part.world_from_part.matrix().isIdentity(0));
  }
  EXPECT_EQ(anchors, 2);
}

TEST(Constraints, locked_joints_in_a_circle_must_agree) {
  JoinedParts object = chain();
  Random random(8);
  object.add_joint(0, 2, 0.8, 0.1, 0.001, random);
  object.add_wrong_joint(0, 2, 0.4, random);
  Constraints constraints{{{"0.ply", "1.ply", 0, Decision::lock},
                           {"1.ply", "2.ply", 0, Decision::lock},
                           {"0.ply", "2.ply", 0, Decision::lock}},
                          {}};
  EXPECT_TRUE(solve(object, constraints).ok());
  constraints.joints[2].rank = 1;
  const auto solved = solve(object, constraints);
  ASSERT_FALSE(solved.ok());
  EXPECT_EQ(solved.error().cause, Cause::mismatch);
  EXPECT_THAT(solved.error().message, HasSubstr("contradict"));
}

TEST(Constraints, what_is_not_there_is_refused) {
  const JoinedParts object = chain();
  const auto refused = [&](const Constraints& constraints, const char* words) {
    const auto applied = apply_constraints(names, object.joints, constraints);
    ASSERT_FALSE(applied.ok());
    EXPECT_EQ(applied.error().cause, Cause::mismatch);
    EXPECT_THAT(applied.error().message, HasSubstr(words));
  };
  refused({{}, {"9.ply"}}, "9.ply");
  refused({{{"0.ply", "9.ply", 0, Decision::lock}}, {}}, "9.ply");
  refused({{{"0.ply", "1.ply", 2, Decision::lock}}, {}}, "pose 3");
  refused({{{"0.ply", "3.ply", 0, Decision::lock}}, {}}, "there is no");
  refused({{{"0.ply", "1.ply", 0, Decision::lock}, {"1.ply", "0.ply", 0, Decision::reject}}, {}},
          "two decisions");
  refused({{{"0.ply", "1.ply", 0, Decision::lock}, {"0.ply", "1.ply", 1, Decision::lock}}, {}}, "two poses");
}

TEST(Constraints, text_and_back) {
  const Constraints constraints{
      {{"a \"b\".ply", "ü.obj", 2, Decision::lock}, {"x", "y", 0, Decision::reject}}, {"z"}};
  const auto back = parse_constraints(format_constraints(constraints), "f");
  ASSERT_TRUE(back.ok()) << back.error().text();
  ASSERT_EQ(back->joints.size(), 2U);
  EXPECT_EQ(back->joints[0].file_a, "a \"b\".ply");
  EXPECT_EQ(back->joints[0].file_b, "ü.obj");
  EXPECT_EQ(back->joints[0].rank, 2);
  EXPECT_EQ(back->joints[0].decision, Decision::lock);
  EXPECT_EQ(back->joints[1].decision, Decision::reject);
  EXPECT_EQ(back->drop, std::vector<std::string>{"z"});
}

TEST(Constraints, text_that_is_wrong_is_refused) {
  const auto refused = [](const char* text, const char* words) {
    const auto read = parse_constraints(text, "c.json");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.error().text(), testing::AllOf(HasSubstr("c.json"), HasSubstr(words))) << text;
  };
  refused("", "JSON");
  refused("[]", "object");
  refused(R"({"joints":[],"drop":[]})", "version");
  refused(R"({"version":2,"joints":[],"drop":[]})", "version");
  refused(R"({"version":1,"drop":[]})", "joints");
  refused(R"({"version":1,"joints":[]})", "drop");
  refused(R"({"version":1,"joints":[],"drop":[3]})", "drop");
  refused(R"({"version":1,"joints":[7],"drop":[]})", "joints[0]");
  refused(R"({"version":1,"joints":[{"a":"x","b":"y","rank":-1,"decision":"lock"}],"drop":[]})", "rank");
  refused(
      R"({"version":1,"joints":[{"a":"x","b":"y","rank":99999999999999999999,"decision":"lock"}],"drop":[]})",
      "rank");
  refused(R"({"version":1,"joints":[{"a":"x","b":"y","rank":0,"decision":"maybe"}],"drop":[]})", "decision");
  refused(R"({"version":1,"joints":[{"a":"x","rank":0,"decision":"lock"}],"drop":[]})", "joints[0].b");
}

}  // namespace
}  // namespace pmtr
