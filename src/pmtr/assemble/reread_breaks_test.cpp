// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/reread_breaks.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "pmtr/assemble/measure_assembly.h"
#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

using test::BrokenBlock;

/// Both halves of a block, the second one moved and standing nowhere. The break of the first was seen, but
/// with a score of `scar`; that of the second as it is, or as its opposite.
struct UnreadScene {
  explicit UnreadScene(const BrokenBlock& first, const BrokenBlock& second, float scar, bool inverted) {
    std::vector<float> low = first.low_scores;
    for (float& score : low) score = score > 0.5F ? scar : 0.0001F;
    BrokenBlock other = second;
    if (inverted)
      for (float& score : other.high_scores) score = 1.0F - score;
    clouds = {orient_cloud(first.low, low, first.low_area, {}, Threads::none()), other.b(b_from_world)};
    shapes = shapes_of(clouds);
    assembly.parts.resize(2);
    assembly.parts[0].placed = assembly.parts[0].anchor = true;
    assembly.parts[0].component = 0;
  }

  Reread read(const RereadOptions& options) const {
    return reread_breaks(assembly, clouds, shapes, PoseSearchOptions{}, ChooseOptions{}, {}, options,
                         Threads::none(), {});
  }

  Rigid3 b_from_world = test::some_motion(5);
  std::vector<OrientedCloud> clouds;
  std::vector<PartShape> shapes;
  Assembly assembly;
};

/// For halves of a block, whose breaks are a tenth of their surface.
RereadOptions of_any_size() {
  RereadOptions options;
  options.largest = 0.9;
  options.least_contact = 0.05;
  return options;
}

TEST(RereadBreaks, a_scar_that_was_seen_but_not_believed_is_found) {
  const BrokenBlock block(0.03, 0.016);
  const UnreadScene scene(block, block, 0.01F, false);
  ASSERT_TRUE(scene.clouds[0].fracture.empty()) << "as it is, there is nothing to be joined to";
  const Reread read = scene.read(of_any_size());
  ASSERT_TRUE(read.assembly.parts[1].placed);
  EXPECT_LT(test::degrees_between(read.assembly.parts[1].world_from_part, scene.b_from_world.inverse()), 1.0);
  EXPECT_FALSE(read.clouds[0].fracture.empty()) << "the scar is read as a break now";
  ASSERT_FALSE(read.assembly.joints.empty());
  EXPECT_TRUE(std::any_of(read.assembly.joints.begin(), read.assembly.joints.end(),
                          [](const Joint& joint) { return joint.used && joint.confidence > 0.5; }));
}

TEST(RereadBreaks, a_part_that_was_read_inside_out_is_turned) {
  const BrokenBlock block(0.03, 0.016);
  const UnreadScene scene(block, block, 1.0F, true);
  const Reread read = scene.read(of_any_size());
  ASSERT_TRUE(read.assembly.parts[1].placed);
  EXPECT_LT(test::degrees_between(read.assembly.parts[1].world_from_part, scene.b_from_world.inverse()), 1.0);
  // What faces the first block is broken now, and the end that was taken for the break is not.
  const Rigid3 world_from_b = scene.b_from_world.inverse();
  double at_the_end = 0.0;
  for (const OrientedPoint& p : read.clouds[1].fracture)
    at_the_end += (world_from_b * p.position.cast<double>()).x() > 0.4 ? 1.0 : 0.0;
  EXPECT_LT(at_the_end, 0.02 * static_cast<double>(read.clouds[1].fracture.size()));
}

TEST(RereadBreaks, a_stranger_is_not_believed) {
  const UnreadScene scene(BrokenBlock(0.05, 0.016), BrokenBlock(0.0, 0.0163), 0.01F, false);
  // A flat end touches waves in spots, never with a quarter of a surface.
  RereadOptions options = of_any_size();
  options.least_contact = RereadOptions{}.least_contact;
  const Reread read = scene.read(options);
  for (const Joint& joint : read.assembly.joints) EXPECT_LT(joint.confidence, 0.5);
}

TEST(RereadBreaks, what_is_held_or_large_stays_as_it_is) {
  const BrokenBlock block(0.03, 0.016);
  const UnreadScene large(block, block, 0.01F, false);
  const Reread read = large.read({});
  EXPECT_FALSE(read.assembly.parts[1].placed);
  EXPECT_TRUE(read.assembly.joints.empty());
  UnreadScene held(block, block, 0.01F, false);
  held.assembly.parts[1] = held.assembly.parts[0];
  held.assembly.parts[1].anchor = false;
  Joint joint;
  joint.b = 1;
  joint.confidence = 0.95;
  joint.used = true;
  held.assembly.joints = {joint};
  EXPECT_EQ(held.read(of_any_size()).assembly.parts[1].world_from_part.matrix(), Eigen::Matrix4d::Identity());
}

TEST(RereadBreaks, options_are_checked) {
  RereadOptions options;
  EXPECT_TRUE(options.validate().ok());
  options.broken_from[1] = 0.0;
  EXPECT_FALSE(options.validate().ok());
  options = {};
  options.settled = 0.3;
  EXPECT_FALSE(options.validate().ok());
}

}  // namespace
}  // namespace pmtr
