// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/solve_joints.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "support/joined_parts.h"

namespace pmtr {
namespace {

using test::JoinedParts;
using test::scattered_parts;

Assembly assembled(const JoinedParts& object) {
  auto result = solve_joints(object.parts, object.joints, 1.0, {});
  if (!result.ok()) throw std::runtime_error(result.error().text());
  return *result;
}

int count_right(const JoinedParts& object, const Assembly& assembly) {
  const auto right = object.right(assembly);
  return static_cast<int>(std::count(right.begin(), right.end(), true));
}

/// All pairs; joints of a share of them are wrong, with the same confidence as the right ones. Every part
/// keeps two right ones: with only one, nothing could tell which it is.
JoinedParts with_wrong_joints(int parts, double wrong_share, std::uint64_t seed) {
  Random random(seed);
  JoinedParts object = scattered_parts(parts, random);
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < parts; ++a) {
    for (int b = a + 1; b < parts; ++b) pairs.emplace_back(a, b);
  }
  for (std::size_t i = pairs.size(); i > 1; --i) std::swap(pairs[i - 1], pairs[random.below(i)]);
  std::vector<int> right(static_cast<std::size_t>(parts), parts - 1);
  auto wrong_left = static_cast<int>(wrong_share * static_cast<double>(pairs.size()));
  for (const auto& [a, b] : pairs) {
    int& right_a = right[static_cast<std::size_t>(a)];
    int& right_b = right[static_cast<std::size_t>(b)];
    const double confidence = random.uniform(0.6, 0.95);
    if (wrong_left > 0 && right_a > 2 && right_b > 2) {
      object.add_wrong_joint(a, b, confidence, random);
      --right_a, --right_b, --wrong_left;
    } else {
      object.add_joint(a, b, confidence, 1.0, 0.005, random);
    }
  }
  return object;
}

TEST(SolveJoints, WrongJointsAreLeftOut) {
  for (const auto& [share, least] : {std::pair{0.0, 40}, {0.2, 40}, {0.5, 38}}) {
    int complete = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const JoinedParts object = with_wrong_joints(8, share, seed);
      const Assembly assembly = assembled(object);
      complete += count_right(object, assembly) == 8 ? 1 : 0;
      ASSERT_TRUE(assembly.certificate.has_value());
      EXPECT_TRUE(assembly.certificate->optimal);
    }
    std::printf("  %.0f %% wrong: %d of 40 complete\n", 100 * share, complete);
    EXPECT_GE(complete, least);
  }
}

TEST(SolveJoints, EachJointGetsItsVerdict) {
  Random random(5);
  JoinedParts object = scattered_parts(4, random);
  for (int a = 0; a < 4; ++a) {
    for (int b = a + 1; b < 4; ++b) object.add_joint(a, b, 0.8, 0.5, 0.002, random);
  }
  object.joints.push_back(object.joints[0]);  // the same once more
  object.add_wrong_joint(1, 2, 0.95, random);
  object.add_wrong_joint(2, 3, 0.1, random);
  const Assembly assembly = assembled(object);
  EXPECT_EQ(count_right(object, assembly), 4);
  ASSERT_EQ(assembly.verdicts.size(), 9U);
  for (std::size_t h = 0; h < 6; ++h) {
    EXPECT_EQ(assembly.verdicts[h].fate, JointFate::used);
    EXPECT_TRUE(assembly.joints[h].used);
    EXPECT_LT(assembly.verdicts[h].residual_deg.value(), 2);
    EXPECT_LT(assembly.verdicts[h].residual_shift.value(), 0.02);
  }
  EXPECT_EQ(assembly.verdicts[6].fate, JointFate::spare);
  EXPECT_FALSE(assembly.joints[6].used);
  EXPECT_EQ(assembly.verdicts[7].fate, JointFate::contradicts);
  EXPECT_GT(assembly.verdicts[7].residual_deg.value() + 1000 * assembly.verdicts[7].residual_shift.value(),
            10);
  EXPECT_EQ(assembly.verdicts[8].fate, JointFate::weak);
  // The largest part stays where it is.
  for (std::size_t i = 0; i < 4; ++i) {
    const bool largest = std::all_of(object.parts.begin(), object.parts.end(),
                                     [&](const PartShape& p) { return p.area <= object.parts[i].area; });
    EXPECT_EQ(assembly.parts[i].anchor, largest);
    EXPECT_EQ(assembly.parts[i].world_from_part.matrix().isIdentity(), largest);
    // All are tied to it directly, which is surer than through others.
    EXPECT_NEAR(assembly.parts[i].confidence, 0.8, 1e-12);
  }
}

/// As a search leaves it: three hypotheses per pair of neighbours, in every third pair a wrong one scores
/// best; pairs that do not touch have two wrong ones.
JoinedParts with_hypotheses(int parts, std::uint64_t seed) {
  Random random(seed);
  JoinedParts object = scattered_parts(parts, random);
  for (int a = 0; a < parts; ++a) {
    for (int b = a + 1; b < parts; ++b) {
      const bool touching = (b - a) % (parts - 2) <= 3;
      if (touching) {
        const bool wrong_best = random.uniform() < 0.35;
        const double confidence = wrong_best ? random.uniform(0.3, 0.6) : random.uniform(0.6, 0.95);
        object.add_wrong_joint(a, b, wrong_best ? random.uniform(0.6, 0.9) : random.uniform(0.1, 0.5),
                               random);
        object.add_joint(a, b, confidence, 1.0, 0.005, random);
      } else {
        object.add_wrong_joint(a, b, random.uniform(0.05, 0.5), random);
      }
      object.add_wrong_joint(a, b, random.uniform(0.05, 0.3), random);
    }
  }
  return object;
}

TEST(SolveJoints, BestScoringHypothesisMayBeWrong) {
  for (const int parts : {5, 8, 20}) {
    int complete = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const JoinedParts object = with_hypotheses(parts, seed);
      complete += count_right(object, assembled(object)) == parts ? 1 : 0;
    }
    std::printf("  %d parts: %d of 20 complete\n", parts, complete);
    EXPECT_GE(complete, 19);
  }
}

TEST(SolveJoints, AMissingPartDoesNotMatter) {
  int complete = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    JoinedParts object = with_hypotheses(8, seed);
    // Part 7 was never found: neither it nor its joints are there.
    object.parts.pop_back();
    object.world_from_part.pop_back();
    std::erase_if(object.joints, [](const Joint& j) { return j.a == 7 || j.b == 7; });
    complete += count_right(object, assembled(object)) == 7 ? 1 : 0;
  }
  EXPECT_GE(complete, 19);
}

TEST(SolveJoints, AForeignPartIsLeftOut) {
  int left_out = 0;
  int complete = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    JoinedParts object = with_hypotheses(8, seed);
    std::erase_if(object.joints, [](const Joint& j) { return j.a == 3 || j.b == 3; });
    Random random(seed, 1);
    for (int other = 0; other < 8; ++other) {
      if (other == 3) continue;
      for (int k = 0; k < 3; ++k) object.add_wrong_joint(3, other, random.uniform(0.02, 0.45), random);
    }
    const Assembly assembly = assembled(object);
    left_out += assembly.parts[3].placed ? 0 : 1;
    EXPECT_EQ(assembly.parts[3].placed, assembly.parts[3].component >= 0);
    complete += count_right(object, assembly) == 7 ? 1 : 0;
  }
  std::printf("  left out %d, others complete %d of 40\n", left_out, complete);
  EXPECT_GE(left_out, 38);
  EXPECT_GE(complete, 38);
}

TEST(SolveJoints, SeveralComponents) {
  Random random(8);
  JoinedParts object = scattered_parts(6, random);
  for (const auto& [a, b] : {std::pair{0, 2}, {2, 4}, {0, 4}, {1, 5}})
    object.add_joint(a, b, 0.9, 0.2, 0.001, random);
  const Assembly assembly = assembled(object);
  for (const int i : {0, 2, 4}) EXPECT_EQ(assembly.parts[static_cast<std::size_t>(i)].component, 0);
  for (const int i : {1, 5}) EXPECT_EQ(assembly.parts[static_cast<std::size_t>(i)].component, 1);
  EXPECT_EQ(assembly.parts[3].component, -1);
  EXPECT_FALSE(assembly.parts[3].placed);
  EXPECT_EQ(
      std::count_if(assembly.parts.begin(), assembly.parts.end(), [](const auto& p) { return p.anchor; }), 2);
}

TEST(SolveJoints, NothingToDo) {
  Random random(3);
  EXPECT_TRUE(assembled(scattered_parts(0, random)).parts.empty());
  const Assembly one = assembled(scattered_parts(1, random));
  ASSERT_EQ(one.parts.size(), 1U);
  EXPECT_FALSE(one.parts[0].placed);
  const Assembly none = assembled(scattered_parts(5, random));
  for (const PlacedPart& part : none.parts) EXPECT_FALSE(part.placed);
  EXPECT_FALSE(none.certificate.has_value());
  EXPECT_EQ(solve_joints({}, {}, 0.0, {}).error().cause, Cause::degenerate);
}

TEST(SolveJoints, TwoPartsWithTwoIdenticalJoints) {
  Random random(4);
  JoinedParts object = scattered_parts(2, random);
  object.add_joint(0, 1, 0.7, 0, 0, random);
  object.joints.push_back(object.joints[0]);
  std::swap(object.joints[1].a, object.joints[1].b);
  object.joints[1].a_from_b = object.joints[1].a_from_b.inverse();
  const Assembly assembly = assembled(object);
  EXPECT_EQ(count_right(object, assembly), 2);
  EXPECT_EQ(assembly.verdicts[0].fate, JointFate::used);
  EXPECT_EQ(assembly.verdicts[1].fate, JointFate::spare);
}

TEST(SolveJoints, PartsThatCannotStandLikeThisAreNotJoined) {
  Random random(6);
  JoinedParts object = scattered_parts(3, random);
  object.add_wrong_joint(0, 1, 0.95, random);
  object.add_joint(0, 1, 0.7, 0, 0, random);
  object.add_wrong_joint(1, 2, 0.9, random);
  const PairCheck check = [&](int a, int b, const Rigid3& a_from_b) {
    // Stands for a look at the surfaces: only true poses do not penetrate.
    return (a_from_b.matrix() - object.true_pose(a, b).matrix()).norm() < 1e-6;
  };
  const auto result = solve_joints(object.parts, object.joints, 1.0, {}, {}, check);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(count_right(object, *result), 2);
  EXPECT_EQ(result->verdicts[0].fate, JointFate::contradicts);
  EXPECT_EQ(result->verdicts[1].fate, JointFate::used);
  EXPECT_EQ(result->verdicts[2].fate, JointFate::unjoined);
  EXPECT_FALSE(result->parts[2].placed);
}

/// Prints how the time grows: parts on a grid that touch their six neighbours, three hypotheses for each of
/// those, and two wrong ones for ten other partners of each part.
TEST(SolveJoints, DISABLED_time) {
  for (const int parts : {8, 20, 50, 100, 200}) {
    Random random(11);
    JoinedParts object = scattered_parts(parts, random);
    const int side = static_cast<int>(std::ceil(std::cbrt(parts)));
    for (int a = 0; a < parts; ++a) {
      for (const int step : {1, side, side * side}) {
        if (a + step >= parts) continue;
        const bool wrong_best = random.uniform() < 0.3;
        object.add_joint(a, a + step, wrong_best ? 0.5 : 0.8, 1.0, 0.003, random);
        object.add_wrong_joint(a, a + step, wrong_best ? 0.8 : 0.4, random);
        object.add_wrong_joint(a, a + step, 0.2, random);
      }
      for (int k = 0; k < 5; ++k) {
        const int b = static_cast<int>(random.below(static_cast<std::uint64_t>(parts)));
        if (b == a) continue;
        object.add_wrong_joint(a, b, random.uniform(0.05, 0.5), random);
        object.add_wrong_joint(a, b, random.uniform(0.05, 0.3), random);
      }
    }
    const auto start = std::chrono::steady_clock::now();
    const Assembly assembly = assembled(object);
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    std::printf("  %3d parts, %4zu joints: %7.1f ms, %d parts right\n", parts, object.joints.size(), ms,
                count_right(object, assembly));
  }
}

TEST(SolveJoints, SameBytesTwice) {
  const JoinedParts object = with_hypotheses(8, 77);
  const Assembly first = assembled(object);
  const Assembly second = assembled(object);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(first.parts[i].world_from_part.matrix(), second.parts[i].world_from_part.matrix());
  }
}

}  // namespace
}  // namespace pmtr
