// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/object_sample.h"

#include <gtest/gtest.h>

#include "pmtr/dataset/broken_object.h"
#include "pmtr/systems/assemble_system.h"
#include "pmtr/systems/systems_test_support.h"

namespace pmtr {
namespace {

TEST(ObjectSample, true_poses_put_the_object_together_around_its_middle) {
  const auto objects = test::two_bars(200, {3});
  const ObjectSample& sample = objects[0];
  ASSERT_EQ(sample.object_from_part.size(), 3U);
  ASSERT_EQ(sample.points.size(), 600U);
  for (std::size_t i = 0; i < sample.points.size(); ++i) {
    const Eigen::Vector3d p = sample.object_from_part[i / 200] * sample.points[i].cast<double>();
    // The bar is 1 x 0.25 x 0.5, cut along x.
    const double low = -0.5 + static_cast<double>(i / 200) / 3.0;
    EXPECT_GT(p.x(), low - 1e-5);
    EXPECT_LT(p.x(), low + 1.0 / 3.0 + 1e-5);
    EXPECT_LT(std::abs(p.y()), 0.125 + 1e-5);
    EXPECT_LT(std::abs(p.z()), 0.25 + 1e-5);
  }
}

TEST(ObjectSample, parts_are_centred_and_turned_anew_for_every_number) {
  const BrokenObject bar = make_broken_object(test::cut_bar(2));
  ObjectSampleOptions options;
  options.points = 50;
  const auto sample = [&](std::uint64_t seed) { return *prepare_object(bar, options, Random(seed)); };
  Eigen::Vector3f mean = Eigen::Vector3f::Zero();
  const ObjectSample one = sample(1);
  for (std::size_t i = 0; i < 50; ++i) mean += one.points[i] / 50.0F;
  EXPECT_LT(mean.norm(), 1e-5F);
  EXPECT_EQ(one.points, sample(1).points);
  EXPECT_NE(one.points, sample(2).points);
  EXPECT_GT((one.object_from_part[0].rotation - sample(2).object_from_part[0].rotation).norm(), 1e-3);
}

TEST(ObjectSample, a_cloud_with_too_few_points_has_some_twice) {
  PointCloud cloud;
  cloud.points = {{1, 0, 0}, {2, 0, 0}};
  std::vector<Eigen::Vector3f> points;
  append_points(cloud, 5, points);
  ASSERT_EQ(points.size(), 5U);
  EXPECT_EQ(points[2], points[0]);
  EXPECT_EQ(points[4], points[0]);
}

/// A system cannot know where the files stand: what it says of the parts among each other is what counts.
TEST(AssembleBySystem, the_anchor_stays_and_moving_a_file_changes_nothing_else) {
  const System system = *System::create("global", 4);
  std::vector<TriangleMesh> meshes = test::cut_bar(3);
  meshes[1].vertices[0].x() += 0.01;  // one is the largest
  const auto pointers = [&] {
    std::vector<const TriangleMesh*> out;
    for (const TriangleMesh& mesh : meshes) out.push_back(&mesh);
    return out;
  };
  const auto found = assemble_by_system(pointers(), system, 1.0, 0, Threads::none(), {});
  ASSERT_TRUE(found.ok());
  int anchors = 0;
  std::size_t anchor = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const PlacedPart& part = found->assembly.parts[i];
    EXPECT_TRUE(part.placed);
    if (part.anchor) {
      ++anchors;
      anchor = i;
      EXPECT_LT((part.world_from_part.matrix() - Eigen::Matrix4d::Identity()).norm(), 1e-12);
    }
  }
  ASSERT_EQ(anchors, 1);
  const std::size_t other = anchor == 0 ? 2 : 0;
  const Eigen::Vector3d shift(5, -3, 2);
  for (Eigen::Vector3d& vertex : meshes[other].vertices) vertex += shift;
  const auto again = assemble_by_system(pointers(), system, 1.0, 0, Threads::none(), {});
  ASSERT_TRUE(again.ok());
  const Rigid3 before = found->assembly.parts[other].world_from_part;
  const Rigid3 after = again->assembly.parts[other].world_from_part * Rigid3::from_translation(shift);
  EXPECT_LT((before.matrix() - after.matrix()).norm(), 1e-4);
}

}  // namespace
}  // namespace pmtr
