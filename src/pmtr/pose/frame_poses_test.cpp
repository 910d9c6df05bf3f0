// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/frame_poses.h"

#include <gtest/gtest.h>

#include "pmtr/breaks/break_descriptors.h"
#include "pmtr/pose/pose_test_scene.h"
#include "support/broken_shape.h"

namespace pmtr {
namespace {

using D = BreakDescriptors;

BreakCloud breaks_of(const test::LabelledCloud& piece) {
  return find_break_cloud(piece.cloud, piece.scores(0.0, Random(1)), {}, Threads::none());
}

NearestRows match(const BreakCloud& a, const BreakCloud& b) {
  const auto source = descriptor_columns(describe_breaks(a, Threads::none()), D::maps, D::width);
  const auto target = descriptor_columns(as_target(describe_breaks(b, Threads::none())), D::maps, D::width);
  return find_nearest_rows(source, target, D::histograms, Threads::none());
}

void expect_agreement(const FramePose& pose, const BreakCloud& a, const BreakCloud& b,
                      const std::vector<RowMatch>& matches) {
  EXPECT_GT(pose.agreeing.size(), 3U);
  EXPECT_LE(pose.score, static_cast<double>(pose.agreeing.size()));
  EXPECT_NEAR(pose.a_from_b.rotation.determinant(), 1.0, 1e-9);
  for (const std::int32_t i : pose.agreeing) {
    const RowMatch& m = matches[static_cast<std::size_t>(i)];
    const Eigen::Vector3d p = a.points[static_cast<std::size_t>(m.a)].position.cast<double>();
    const Eigen::Vector3d q = b.points[static_cast<std::size_t>(m.b)].position.cast<double>();
    EXPECT_LT((pose.a_from_b * q - p).norm(), 0.0301);
  }
}

TEST(FramePoses, find_the_true_pose) {
  for (const Shape shape : {Shape::blob, Shape::bowl}) {
    const test::ScatteredPair pair = test::break_in_two(shape, 7, 10000);
    const BreakCloud a = breaks_of(pair.a);
    const BreakCloud b = breaks_of(pair.b);
    const NearestRows nearest = match(a, b);
    const auto poses = poses_from_nearest(a, b, nearest, {});
    ASSERT_FALSE(poses.empty());
    EXPECT_TRUE(pair.right(poses[0].a_from_b, 5.0, 0.02)) << pair.rotation_error(poses[0].a_from_b);
    expect_agreement(poses[0], a, b, nearest.mutual());
    for (std::size_t i = 1; i < poses.size(); ++i) EXPECT_LE(poses[i].score, poses[i - 1].score);
  }
}

TEST(FramePoses, pairs_of_matches_do_where_no_frame_has_an_x) {
  const test::ScatteredPair pair = test::break_in_two(Shape::blob, 7, 10000);
  BreakCloud a = breaks_of(pair.a);
  const BreakCloud b = breaks_of(pair.b);
  const NearestRows nearest = match(a, b);
  for (BreakPoint& p : a.points) p.has_x = false;
  const auto poses = poses_from_nearest(a, b, nearest, {});
  ASSERT_FALSE(poses.empty());
  EXPECT_TRUE(pair.right(poses[0].a_from_b, 5.0, 0.02)) << pair.rotation_error(poses[0].a_from_b);
}

TEST(FramePoses, one_true_match_is_a_pose) {
  BreakPoint p, q;
  p.position = Eigen::Vector3f(0.1F, 0.2F, 0.3F);
  p.normal = p.z = Eigen::Vector3f::UnitZ();
  p.x = Eigen::Vector3f::UnitX();
  p.has_x = true;
  // The same place seen from the other side, moved.
  const Rigid3 b_from_a = test::some_motion(4);
  q = p;
  q.position = (b_from_a * p.position.cast<double>().eval()).cast<float>();
  q.normal = q.z = -(b_from_a.rotation.cast<float>() * p.z);
  q.x = b_from_a.rotation.cast<float>() * p.x;
  BreakCloud a, b;
  a.points = {p};
  b.points = {q};
  const std::vector<RowMatch> matches = {{0, 0, 0.0F}};
  const auto poses = poses_from_frames(a, b, matches, matches, {});
  ASSERT_EQ(poses.size(), 1U);
  EXPECT_LT(test::degrees_between(poses[0].a_from_b, b_from_a.inverse()), 1e-3);
  EXPECT_LT((poses[0].a_from_b * q.position.cast<double>().eval() - p.position.cast<double>()).norm(), 1e-5);
  // Without x a single match leaves the turn open.
  a.points[0].has_x = false;
  EXPECT_TRUE(poses_from_frames(a, b, matches, matches, {}).empty());
}

TEST(FramePoses, nothing_comes_of_nothing) {
  const BreakCloud none;
  EXPECT_TRUE(poses_from_nearest(none, none, {}, {}).empty());
  BreakCloud same;
  BreakPoint p;
  p.normal = p.z = Eigen::Vector3f::UnitZ();
  same.points.assign(5, p);
  const NearestRows nearest =
      find_nearest_rows(std::vector<float>(10, 1.0F), std::vector<float>(10, 1.0F), 2, Threads::none());
  for (const FramePose& pose : poses_from_nearest(same, same, nearest, {}))
    EXPECT_TRUE(pose.a_from_b.rotation.allFinite());
  FramePoseOptions options;
  options.kept = 0;
  EXPECT_FALSE(options.validate().ok());
  EXPECT_TRUE(FramePoseOptions{}.validate().ok());
}

}  // namespace
}  // namespace pmtr
