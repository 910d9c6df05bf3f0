// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/assemble_fragments.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "pmtr/assemble/merge_clouds.h"
#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

using test::BrokenBlock;

/// The mirror image of a cloud.
OrientedCloud mirrored(PointCloud cloud, const std::vector<float>& scores, double area) {
  for (auto& p : cloud.points) p.y() = -p.y();
  for (auto& n : cloud.normals) n.y() = -n.y();
  return orient_cloud(cloud, scores, area, {}, Threads::none());
}

int placed(const Assembly& assembly) {
  return static_cast<int>(std::count_if(assembly.parts.begin(), assembly.parts.end(),
                                        [](const PlacedPart& p) { return p.placed; }));
}

TEST(AssembleSurfaces, joins_what_belongs_together_and_leaves_out_a_stranger) {
  const BrokenBlock block(0.02, 0.016);
  const BrokenBlock stranger(0.035, 0.0163);
  const Rigid3 b_from_world = test::some_motion(5);
  const std::vector<OrientedCloud> clouds = {block.a(), stranger.a(), block.b(b_from_world)};
  const auto assembly = assemble_surfaces(clouds, {}, Threads::none(), {});
  ASSERT_TRUE(assembly.ok());
  EXPECT_TRUE(assembly->parts[0].placed && assembly->parts[2].placed);
  EXPECT_FALSE(assembly->parts[1].placed);
  const Rigid3 found = assembly->parts[0].world_from_part.inverse() * assembly->parts[2].world_from_part;
  EXPECT_LT(test::degrees_between(found, b_from_world.inverse()), 1.0);
  ASSERT_EQ(assembly->verdicts.size(), assembly->joints.size());
}

TEST(AssembleSurfaces, one_fragment_stays_where_it_is) {
  const std::vector<OrientedCloud> clouds = {BrokenBlock(0.02, 0.03).a()};
  const auto assembly = assemble_surfaces(clouds, {}, Threads::none(), {});
  ASSERT_TRUE(assembly.ok());
  ASSERT_EQ(assembly->parts.size(), 1U);
  EXPECT_TRUE(assembly->parts[0].placed && assembly->parts[0].anchor);
  EXPECT_TRUE(assembly->joints.empty());
  EXPECT_EQ(assembly->parts[0].world_from_part.matrix(), Eigen::Matrix4d::Identity());
}

TEST(AssembleSurfaces, two_identical_fragments_do_not_fit) {
  const BrokenBlock block(0.02, 0.016);
  const std::vector<OrientedCloud> clouds = {block.a(), block.a()};
  const auto assembly = assemble_surfaces(clouds, {}, Threads::none(), {});
  ASSERT_TRUE(assembly.ok());
  EXPECT_EQ(placed(*assembly), 0);
}

TEST(AssembleSurfaces, a_mirror_image_does_not_fit) {
  // The partner's mirror image has all the right distances and angles, but no motion brings it there.
  const BrokenBlock block(0.03, 0.016);
  const std::vector<OrientedCloud> clouds = {block.a(),
                                             mirrored(block.high, block.high_scores, block.high_area)};
  const auto assembly = assemble_surfaces(clouds, {}, Threads::none(), {});
  ASSERT_TRUE(assembly.ok());
  EXPECT_EQ(placed(*assembly), 0);
}

TEST(AssembleSurfaces, fragments_that_share_nothing_stay_apart) {
  const std::vector<OrientedCloud> clouds = {BrokenBlock(0.02, 0.016).a(), BrokenBlock(0.04, 0.0163).a(),
                                             BrokenBlock(0.03, 0.0157).a()};
  const auto assembly = assemble_surfaces(clouds, {}, Threads::none(), {});
  ASSERT_TRUE(assembly.ok());
  EXPECT_EQ(placed(*assembly), 0);
}

TEST(AssembleSurfaces, doubtful_parts_are_placed_where_asked_for) {
  const BrokenBlock block(0.02, 0.016);
  const BrokenBlock stranger(0.035, 0.0163);
  const std::vector<OrientedCloud> clouds = {block.a(), stranger.a(), block.b(test::some_motion(5))};
  AssembleOptions options;
  options.rematch.place_all = true;
  options.check_penetration = false;
  const auto assembly = assemble_surfaces(clouds, options, Threads::none(), {});
  ASSERT_TRUE(assembly.ok());
  EXPECT_EQ(placed(*assembly), 3);
  EXPECT_LT(assembly->parts[1].confidence, 0.5) << "a guess is not to be believed";
  EXPECT_GT(assembly->parts[0].confidence, 0.9);
}

TEST(AssembleSurfaces, stops_when_asked) {
  const BrokenBlock block(0.02, 0.03);
  const std::vector<OrientedCloud> clouds = {block.a(), block.b({})};
  Listener listener;
  listener.cancelled = [] { return true; };
  const auto assembly = assemble_surfaces(clouds, {}, Threads::none(), listener);
  ASSERT_FALSE(assembly.ok());
  EXPECT_EQ(assembly.error().cause, Cause::cancelled);
}

TEST(Penetration, is_told_from_contact) {
  const BrokenBlock block(0.02, 0.016);
  const Rigid3 b_from_world = test::some_motion(6);
  const std::vector<OrientedCloud> clouds = {block.a(), block.b(b_from_world)};
  const Rigid3 truth = b_from_world.inverse();
  EXPECT_LT(penetration_share(clouds[0], clouds[1], truth, {}), 0.02);
  Rigid3 deep = truth;
  deep.translation.x() -= 0.15;
  EXPECT_GT(penetration_share(clouds[0], clouds[1], deep, {}), 0.1);
  Rigid3 away = truth;
  away.translation.x() += 3.0;
  const PairCheck check = refuse_penetration(clouds, {});
  EXPECT_TRUE(check(0, 1, truth));
  EXPECT_TRUE(check(0, 1, away));
  EXPECT_FALSE(check(0, 1, deep));
  EXPECT_FALSE(check(1, 0, deep.inverse()));
}

TEST(MergeClouds, leaves_out_what_lies_in_the_joint) {
  const BrokenBlock block(0.02, 0.016);
  const Rigid3 b_from_world = test::some_motion(6);
  const OrientedCloud a = block.a();
  const OrientedCloud b = block.b(b_from_world);
  const std::vector<StandingCloud> parts = {{&a, {}}, {&b, b_from_world.inverse()}};
  const OrientedCloud merged = merge_clouds(parts, {}, Threads::none());
  // Both fractures are hidden, the outer surfaces are not.
  EXPECT_LT(merged.fracture.size(), (a.fracture.size() + b.fracture.size()) / 10);
  EXPECT_GT(merged.outer.size(), 95 * (a.outer.size() + b.outer.size()) / 100);
  EXPECT_NEAR(merged.spacing, 0.016F, 1e-4F);
  // Far apart nothing is hidden.
  Rigid3 away;
  away.translation.x() = 5.0;
  const std::vector<StandingCloud> apart = {{&a, {}}, {&b, away}};
  EXPECT_EQ(merge_clouds(apart, {}, Threads::none()).points.size(), a.points.size() + b.points.size());
}

TEST(RefineContacts, takes_a_step_only_if_contact_grows) {
  // A block between two others: averaged poses left it a little off both.
  const BrokenBlock left(0.02, 0.016);
  const OrientedCloud a = left.a();
  const OrientedCloud b = left.b({});
  // The other half once more, as a third part that touches b in the same way.
  const std::vector<OrientedCloud> clouds = {a, b, a};
  Assembly assembly;
  assembly.parts.resize(3);
  for (PlacedPart& part : assembly.parts) {
    part.placed = true;
    part.component = 0;
  }
  assembly.parts[0].anchor = true;
  assembly.parts[1].world_from_part.translation = {0.004, 0.003, -0.003};
  const ContactRefinement done = refine_contacts(assembly, clouds, {}, Threads::none());
  EXPECT_GT(done.moved, 0);
  EXPECT_GT(done.contact, done.before);
  EXPECT_LT(done.assembly.parts[1].world_from_part.translation.norm(), 0.002);
  EXPECT_EQ(done.assembly.parts[0].world_from_part.matrix(), Eigen::Matrix4d::Identity());
  EXPECT_EQ(refine_contacts(done.assembly, clouds, {.sweeps = 0}, Threads::none()).moved, 0);
}

TEST(AssembleOptions, of_every_stage_are_checked) {
  EXPECT_TRUE(AssembleOptions{}.validate().ok());
  AssembleOptions options;
  options.rematch.sure = 0.3;
  EXPECT_FALSE(options.validate().ok());
  options = {};
  options.rematch.rounds = -1;
  EXPECT_FALSE(options.validate().ok());
  options = {};
  options.penetration.depth = 0.0;
  EXPECT_FALSE(options.validate().ok());
}

}  // namespace
}  // namespace pmtr
