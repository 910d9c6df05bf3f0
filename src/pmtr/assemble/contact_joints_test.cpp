// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/contact_joints.h"

#include <gtest/gtest.h>

#include "pmtr/assemble/measure_assembly.h"
#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

/// The two pieces of a block, both placed, the second where `world_from_b` says.
struct PlacedBlock {
  test::BrokenBlock block{0.02, 0.02};
  std::vector<OrientedCloud> clouds = {block.a(), block.b({})};
  std::vector<PartShape> shapes = shapes_of(clouds);
  PartsAtHand parts{clouds, shapes, {}, {}};
  Assembly assembly;

  explicit PlacedBlock(const Rigid3& world_from_b) {
    assembly.parts.resize(2);
    for (PlacedPart& part : assembly.parts) {
      part.placed = true;
      part.component = 0;
    }
    assembly.parts[1].world_from_part = world_from_b;
  }
};

TEST(JoinContacts, what_touches_and_fits_is_a_joint) {
  const PlacedBlock given({});
  const Assembly joined = join_contacts(given.assembly, given.parts, Threads::none());
  ASSERT_EQ(joined.joints.size(), 1U);
  EXPECT_TRUE(joined.joints[0].used);
  EXPECT_GT(joined.joints[0].confidence, 0.9);
  ASSERT_TRUE(joined.joints[0].evidence);
  EXPECT_GT(joined.joints[0].evidence->contact_points, 100);
  // It is there now, and is not added again.
  EXPECT_EQ(join_contacts(joined, given.parts, Threads::none()).joints.size(), 1U);
}

TEST(JoinContacts, what_is_apart_is_not) {
  const PlacedBlock away({Eigen::Matrix3d::Identity(), {3.0, 0.0, 0.0}});
  EXPECT_TRUE(join_contacts(away.assembly, away.parts, Threads::none()).joints.empty());
  PlacedBlock strangers({});
  strangers.assembly.parts[1].component = 1;
  EXPECT_TRUE(join_contacts(strangers.assembly, strangers.parts, Threads::none()).joints.empty());
  PlacedBlock lost({});
  lost.assembly.parts[1].placed = false;
  EXPECT_TRUE(join_contacts(lost.assembly, lost.parts, Threads::none()).joints.empty());
}

TEST(JoinContacts, an_outer_surface_against_a_break_is_not) {
  Rigid3 turned;
  turned.rotation = Eigen::AngleAxisd(M_PI, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  turned.translation = {1.0, 0.6, 0.0};
  const PlacedBlock given(turned);
  EXPECT_TRUE(join_contacts(given.assembly, given.parts, Threads::none()).joints.empty());
}

}  // namespace
}  // namespace pmtr
