// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/neighbour_score.h"

#include <array>

#include <gtest/gtest.h>

#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

FramePose pose_of(const Rigid3& a_from_b, double score) { return {a_from_b, score, {}}; }

TEST(NeighbourScore, neighbours_have_more_than_strangers_with_as_many_matches) {
  const test::BrokenBlock block(0.06);
  const Rigid3 b_from_world = test::some_motion(7);
  const test::BrokenBlock other(0.1);
  const std::vector<OrientedCloud> clouds = {block.a(), block.b(b_from_world), other.b(b_from_world)};
  const NeighbourScore score(clouds, Threads::none());
  const std::array right = {pose_of(b_from_world.inverse(), 5.0)};
  // The stranger's break is another one, and in the second pose the two stand in one place.
  Rigid3 inside = b_from_world.inverse();
  inside.translation.x() -= 0.4;
  const double neighbours = score(0, 1, right);
  EXPECT_GT(neighbours, 2.0 * score(0, 2, right));
  EXPECT_LT(score(0, 1, std::array{pose_of(inside, 5.0)}), 50.0);
  // The best pose counts.
  EXPECT_EQ(score(0, 1, std::array{pose_of(inside, 5.0), right[0]}), neighbours);
  EXPECT_EQ(score(0, 1, {}), 0.0);
}

TEST(NeighbourScore, does_not_depend_on_numbers_and_threads) {
  const test::BrokenBlock block(0.06);
  const std::vector<OrientedCloud> clouds = {block.a(), block.b({})};
  const std::vector<OrientedCloud> more = {block.b({}), block.a(), block.b({})};
  Threads three(3);
  const std::array pose = {pose_of({}, 2.0)};
  EXPECT_EQ(NeighbourScore(clouds, Threads::none())(0, 1, pose), NeighbourScore(more, three)(1, 2, pose));
}

TEST(DrawnSurface, few_points_stand_for_all) {
  const test::BrokenBlock block(0.06);
  const OrientedCloud a = block.a(), b = block.b({});
  const SurfaceScore all(a, b, draw_surface(a, SIZE_MAX, Random(1)), draw_surface(b, SIZE_MAX, Random(2)));
  const SurfaceScore few(a, b, draw_surface(a, 200, Random(1)), draw_surface(b, 200, Random(2)));
  const ScoreTolerance near{a.spacing, 1.7F * a.spacing, 2.0F * a.spacing, 0.6F};
  const float whole = all.full(PoseHypothesis::of({}), SIZE_MAX, near, 1.0F);
  EXPECT_GT(whole, 0.2F);
  EXPECT_NEAR(few.full(PoseHypothesis::of({}), 200, near, 1.0F), whole, 0.15F * whole);
}

}  // namespace
}  // namespace pmtr
