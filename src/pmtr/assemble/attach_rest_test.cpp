// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/attach_rest.h"

#include <gtest/gtest.h>

#include "pmtr/assemble/joint_test_support.h"
#include "pmtr/assemble/measure_assembly.h"
#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

Joint joint(int a, int b, double x, double confidence) {
  return test::joint(a, b, {Eigen::Matrix3d::Identity(), {x, 0.0, 0.0}}, confidence, false);
}

/// Two parts that are joined and a third that is not.
struct Scene {
  test::BrokenBlock block{0.02, 0.04};
  std::vector<OrientedCloud> clouds = {block.a(), block.b({}), block.a()};
  std::vector<PartShape> shapes = shapes_of(clouds);
  PartsAtHand parts{clouds, shapes, {}, {}};
  Assembly assembly;

  Scene() {
    assembly.parts.resize(3);
    for (int i = 0; i < 2; ++i) {
      assembly.parts[static_cast<std::size_t>(i)].placed = true;
      assembly.parts[static_cast<std::size_t>(i)].component = 0;
    }
    assembly.parts[0].anchor = true;
    assembly.parts[1].world_from_part.translation.x() = 2.0;
    // Poses that were refined after their joint was found.
    assembly.joints = {joint(0, 1, 2.001, 0.9)};
    assembly.joints[0].used = true;
    judge_where_they_stand(assembly, shapes, {});
  }
};

TEST(AttachRest, takes_the_likeliest_joint_and_moves_nothing_else) {
  const Scene scene;
  const std::vector<Joint> doubtful = {joint(1, 2, 3.0, 0.1), joint(0, 2, 7.0, 0.3), joint(0, 1, 9.0, 0.4)};
  const Assembly all = attach_rest(scene.assembly, doubtful, scene.parts, {});
  for (const PlacedPart& part : all.parts) EXPECT_TRUE(part.placed && part.component == 0);
  const auto apart = [&](int a, int b) {
    return (all.parts[static_cast<std::size_t>(a)].world_from_part.inverse() *
            all.parts[static_cast<std::size_t>(b)].world_from_part)
        .translation.x();
  };
  EXPECT_DOUBLE_EQ(apart(0, 1), 2.0);
  EXPECT_DOUBLE_EQ(apart(0, 2), 7.0);
  ASSERT_EQ(all.joints.size(), 4U);
  EXPECT_TRUE(all.joints[0].used && all.joints[2].used);
  EXPECT_FALSE(all.joints[1].used || all.joints[3].used);
}

TEST(AttachRest, prefers_places_that_are_free_and_takes_others_if_there_are_none) {
  Scene scene;
  // Nothing stands in the way of what is far apart.
  scene.parts.check = [](int, int, const Rigid3& a_from_b) {
    const double x = a_from_b.translation.x();
    return x < 0.5 || x > 1.5;
  };
  const std::vector<Joint> doubtful = {joint(1, 2, 0.3, 0.1), joint(0, 2, 0.7, 0.3)};
  const Assembly free = attach_rest(scene.assembly, doubtful, scene.parts, {});
  EXPECT_TRUE(free.joints[1].used);
  scene.parts.check = [](int, int, const Rigid3&) { return false; };
  const Assembly forced = attach_rest(scene.assembly, doubtful, scene.parts, {});
  EXPECT_TRUE(forced.parts[2].placed);
}

TEST(AttachRest, leaves_alone_what_no_joint_names) {
  const Scene scene;
  EXPECT_FALSE(attach_rest(scene.assembly, {}, scene.parts, {}).parts[2].placed);
}

}  // namespace
}  // namespace pmtr
