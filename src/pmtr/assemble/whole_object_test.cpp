// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/whole_object.h"

#include <gtest/gtest.h>

#include "pmtr/assemble/joint_test_support.h"
#include "pmtr/assemble/measure_assembly.h"
#include "pmtr/assemble/witnesses.h"
#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

using test::joint;

/// The two pieces of a block, the second where the used one of two joints says.
struct TwoJoints {
  test::BrokenBlock block{0.02, 0.02};
  std::vector<OrientedCloud> clouds = {block.a(), block.b({})};
  std::vector<PartShape> shapes = shapes_of(clouds);
  PartsAtHand parts{clouds, shapes, {}, {}};
  Rigid3 wrong{Eigen::Matrix3d::Identity(), {0.0, 0.25, 0.0}};
  Assembly assembly;

  TwoJoints(double sure_of_wrong, double sure_of_right) {
    assembly.parts.resize(2);
    for (PlacedPart& part : assembly.parts) {
      part.placed = true;
      part.component = 0;
    }
    assembly.parts[0].anchor = true;
    assembly.parts[1].world_from_part = wrong;
    assembly.joints = {joint(0, 1, wrong, sure_of_wrong, true), joint(0, 1, {}, sure_of_right, false)};
    judge_where_they_stand(assembly, shapes, {});
  }
};

TEST(WholeObject, moves_a_part_to_where_more_breaks_are_covered) {
  // The joint for which more seems to speak leaves half of both breaks open.
  const TwoJoints given(0.9, 0.6);
  ASSERT_TRUE(given.assembly.joints[0].used);
  const Assembly better = improve_whole(given.assembly, given.parts, {}, {}, Threads::none(), {});
  EXPECT_LT(better.parts[1].world_from_part.translation.norm(), 0.005);
  EXPECT_LT(test::degrees_between(better.parts[1].world_from_part, {}), 0.5);
  EXPECT_FALSE(better.joints[0].used);
  EXPECT_TRUE(better.joints[1].used);
  EXPECT_EQ(better.verdicts[0].fate, JointFate::contradicts);
  // Nothing is better than that, and nothing moves without being asked.
  const Assembly again = improve_whole(better, given.parts, {}, {}, Threads::none(), {});
  EXPECT_EQ(again.parts[1].world_from_part.matrix(), better.parts[1].world_from_part.matrix());
  WholeOptions none;
  none.sweeps = 0;
  const Assembly same = improve_whole(given.assembly, given.parts, {}, none, Threads::none(), {});
  EXPECT_EQ(same.parts[1].world_from_part.matrix(), given.wrong.matrix());
}

TEST(WholeObject, goes_nowhere_where_parts_cannot_stand) {
  TwoJoints given(0.9, 0.6);
  given.parts.check = [](int, int, const Rigid3& a_from_b) { return a_from_b.translation.norm() > 0.1; };
  const Assembly same = improve_whole(given.assembly, given.parts, {}, {}, Threads::none(), {});
  EXPECT_EQ(same.parts[1].world_from_part.matrix(), given.wrong.matrix());
}

TEST(Witnesses, tell_a_covered_break_from_an_open_one) {
  TwoJoints given(0.9, 0.6);
  const Assembly wrong = call_witnesses(given.assembly, given.parts, Threads::none());
  const Assembly right = call_witnesses(
      improve_whole(given.assembly, given.parts, {}, {}, Threads::none(), {}), given.parts, Threads::none());
  ASSERT_TRUE(wrong.open_share && right.open_share);
  EXPECT_GT(*wrong.open_share, 0.4);
  EXPECT_LT(*right.open_share, 0.1);
  EXPECT_LT(*right.parts[1].open_share, 0.1);
  ASSERT_TRUE(wrong.joints[0].witnesses && right.joints[1].witnesses);
  EXPECT_TRUE(right.joints[1].witnesses->is_covered());
  EXPECT_TRUE(right.joints[1].witnesses->is_fixed());
  EXPECT_FALSE(right.joints[1].witnesses->third_agrees());
  // The joint that was left speaks against it: 0.9 against 0.6.
  EXPECT_LT(right.joints[1].witnesses->margin, 0.0);
  EXPECT_GT(right.joints[1].confidence, wrong.joints[1].confidence);
}

TEST(Witnesses, joints_that_are_not_believed_do_not_hold) {
  TwoJoints given(0.9, 0.6);
  given.assembly.joints[0].confidence = 0.3;
  const Assembly apart = keep_joints(given.assembly, given.shapes, 0.5);
  EXPECT_FALSE(apart.parts[0].placed || apart.parts[1].placed);
  EXPECT_FALSE(apart.joints[0].used);
  EXPECT_EQ(apart.verdicts[0].fate, JointFate::weak);
  const Assembly kept = keep_joints(given.assembly, given.shapes, 0.2);
  EXPECT_TRUE(kept.parts[1].placed);
  EXPECT_EQ(kept.parts[1].world_from_part.matrix(), given.wrong.matrix());
}

TEST(Witnesses, a_single_joint_that_is_only_probable_does_not_hold_large_groups) {
  // Two rings of parts, and one joint between them.
  const double confirmed = WitnessModel::fitted().confirmed;
  const auto two_rings = [&](int size, double confidence, double least_of_bridge) {
    Assembly assembly;
    assembly.parts.resize(static_cast<std::size_t>(2 * size));
    for (PlacedPart& part : assembly.parts) {
      part.placed = true;
      part.component = 0;
    }
    for (int ring = 0; ring < 2; ++ring) {
      for (int i = 0; i < size; ++i)
        assembly.joints.push_back(joint(ring * size + i, ring * size + (i + 1) % size, {}, 0.9, true));
    }
    assembly.joints.push_back(joint(0, size, {}, confidence, true));
    assembly.verdicts.resize(assembly.joints.size(), {JointFate::used, 0.0, 0.0});
    return keep_joints(std::move(assembly), std::vector<PartShape>(static_cast<std::size_t>(2 * size)), 0.5,
                       least_of_bridge);
  };
  const Assembly apart = two_rings(4, confirmed - 0.01, confirmed);
  EXPECT_NE(apart.parts[0].component, apart.parts[4].component);
  EXPECT_EQ(apart.parts[4].component, apart.parts[7].component);
  EXPECT_FALSE(apart.joints.back().used);
  EXPECT_EQ(apart.verdicts.back().fate, JointFate::weak);
  EXPECT_EQ(two_rings(4, confirmed, confirmed).parts[4].component, 0);
  EXPECT_EQ(two_rings(3, confirmed - 0.01, confirmed).parts[3].component, 0);
  // Where they are to be matched again, no single joint does.
  EXPECT_NE(two_rings(4, 0.99, 2.0).parts[4].component, 0);
}

TEST(Witnesses, bands_have_reasons) {
  Joint unasked = joint(0, 1, {}, 0.999, true);
  EXPECT_EQ(band_of(unasked), Band::probable);
  JointWitnesses all;
  all.surface = 5.0;
  all.margin = 6.0;
  all.matched = 0.5;
  all.thirds = 2;
  all.covered = 0.9;
  all.stiffness = 0.1;
  Joint sure = unasked;
  sure.witnesses = all;
  sure.confidence = WitnessModel::fitted().probability(all);
  EXPECT_EQ(band_of(sure), Band::confirmed);
  EXPECT_EQ(band_reason(sure).find("but"), std::string::npos);
  sure.witnesses->covered = 0.2;
  EXPECT_NE(band_reason(sure).find("a break stays mostly open"), std::string::npos);
  EXPECT_LT(WitnessModel::fitted().probability(*sure.witnesses), sure.confidence);
  sure.confidence = 0.4;
  EXPECT_EQ(band_of(sure), Band::rejected);
}

}  // namespace
}  // namespace pmtr
