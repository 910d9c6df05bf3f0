// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/assemble_fragments.h"

#include "pmtr/pipeline/input_frame.h"

#include <gtest/gtest.h>

namespace pmtr {
namespace {

/// A closed bumpy ball of about 200 mm, far from the origin.
TriangleMesh ball(double bump) {
  TriangleMesh mesh;
  constexpr int rings = 24;
  constexpr int sectors = 36;
  for (int i = 0; i <= rings; ++i) {
    for (int j = 0; j < sectors; ++j) {
      const double theta = 3.14159265358979 * i / rings;
      const double phi = 2.0 * 3.14159265358979 * j / sectors;
      const double r = 100.0 + bump * std::sin(3.0 * phi) * std::sin(4.0 * theta);
      mesh.vertices.emplace_back(1000.0 + r * std::sin(theta) * std::cos(phi),
                                 r * std::sin(theta) * std::sin(phi), r * std::cos(theta));
    }
  }
  const auto at = [](int i, int j) { return static_cast<std::uint32_t>(i * sectors + j % sectors); };
  for (int i = 0; i < rings; ++i) {
    for (int j = 0; j < sectors; ++j) {
      mesh.faces.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.faces.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return mesh;
}

AssembleOptions quick(double object_size) {
  AssembleOptions options;
  options.sample.points = 1000;
  options.sample.dense_points = 2000;
  options.object_size = object_size;
  options.match.registration = RegistrationOptions::reference();
  return options;
}

// The network sees the object in its own units: the pose of a copy in other units must come out scaled, and
// a copy elsewhere must get the same relative pose. True for any weights.
TEST(AssembleFragments, poses_are_in_the_units_and_coordinates_of_the_input) {
  const FragmentEncoder encoder = *FragmentEncoder::untrained(NetworkOptions::reference(), 1);
  const std::vector<TriangleMesh> metres_1000{ball(20.0), ball(5.0)};
  std::vector<TriangleMesh> scaled = metres_1000;
  for (auto& mesh : scaled) {
    for (auto& vertex : mesh.vertices) vertex *= 0.25;
  }
  const auto a = assemble_fragments(pointers_to(metres_1000), encoder, quick(200.0), Threads::none(), {});
  const auto b = assemble_fragments(pointers_to(scaled), encoder, quick(50.0), Threads::none(), {});
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_EQ(a->assembly.joints.size(), 1U);
  ASSERT_EQ(b->assembly.joints.size(), 1U);
  const Rigid3& x = a->assembly.joints[0].a_from_b;
  const Rigid3& y = b->assembly.joints[0].a_from_b;
  EXPECT_LT(rotation_angle(x.rotation, y.rotation), 1e-3);
  EXPECT_LT((0.25 * x.translation - y.translation).norm(), 0.2);
  // The anchor stays, the other follows the joint.
  const auto& parts = a->assembly.parts;
  ASSERT_NE(parts[0].anchor, parts[1].anchor);
  const Rigid3 expected = parts[0].anchor ? x : x.inverse();
  const Rigid3& moved = parts[parts[0].anchor ? 1 : 0].world_from_part;
  EXPECT_LT((moved.matrix() - expected.matrix()).norm(), 1e-9);
}

TEST(AssembleFragments, weights_that_normalise_over_a_pair_want_two_fragments) {
  const FragmentEncoder encoder = *FragmentEncoder::untrained(NetworkOptions::reference(), 1);
  const std::vector<TriangleMesh> three(3, ball(1.0));
  const auto result = assemble_fragments(pointers_to(three), encoder, quick(0.0), Threads::none(), {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().cause, Cause::unsupported);
}

TEST(AssembleFragments, matchers_that_look_at_both_fragments_assemble_more_than_two) {
  for (const MatcherKind kind : {MatcherKind::hdc, MatcherKind::geotr}) {
    NetworkOptions network = NetworkOptions::plain();
    network.coarse_matcher = kind;
    network.fine_matcher = MatcherKind::none;
    const FragmentEncoder encoder = *FragmentEncoder::untrained(network, 1);
    const std::vector<TriangleMesh> three{ball(20.0), ball(5.0), ball(1.0)};
    AssembleOptions options = quick(200.0);
    options.sample.points = 300;  // they look at all pairs of superpoints
    options.sample.least_points = 64;
    const auto result = assemble_fragments(pointers_to(three), encoder, options, Threads::none(), {});
    ASSERT_TRUE(result.ok()) << result.error().text();
    ASSERT_EQ(result->matched.size(), 3U);
    for (const MatchedPair& pair : result->matched) EXPECT_FALSE(pair.matches.superpoints.empty());
  }
}

TEST(InInputFrame, poses_lengths_and_areas_are_those_of_the_files) {
  std::vector<FragmentClouds> fragments(2);
  fragments[0].centre = {10, 20, 30};
  fragments[1].centre = {-5, 0, 7};
  fragments[0].unit = fragments[1].unit = 4.0;
  Assembly assembly;
  assembly.parts.resize(2);
  for (PlacedPart& part : assembly.parts) part.placed = true, part.component = 0;
  assembly.parts[0].anchor = true;
  const Rigid3 pose{Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix(),
                    {0.5, -0.25, 0.125}};
  assembly.parts[1].world_from_part = pose;
  Joint joint;
  joint.b = 1;
  joint.a_from_b = pose;
  joint.evidence = JointEvidence{};
  joint.evidence->contact_area = 0.5;
  joint.evidence->gap_mean = 0.25;
  assembly.joints.push_back(joint);
  assembly.verdicts.push_back({JointFate::used, 1.0, 0.125});
  const Assembly input = in_input_frame(assembly, fragments);
  // The centre of the second fragment, which is the origin of its cloud, goes where the pose says.
  const Eigen::Vector3d expected = fragments[0].centre + 4.0 * pose.translation;
  EXPECT_LT((input.parts[1].world_from_part * fragments[1].centre - expected).norm(), 1e-12);
  EXPECT_LT((input.joints[0].a_from_b * fragments[1].centre - expected).norm(), 1e-12);
  EXPECT_EQ(input.joints[0].evidence->contact_area, 8.0);
  EXPECT_EQ(input.joints[0].evidence->gap_mean, 1.0);
  EXPECT_EQ(*input.verdicts[0].residual_shift, 0.5);
  EXPECT_EQ(input.parts[0].world_from_part.matrix(), Eigen::Matrix4d::Identity());
  EXPECT_LT(
      (in_object_frame(input.joints[0].a_from_b, fragments[0], fragments[1]).matrix() - pose.matrix()).norm(),
      1e-12);
}

TEST(AssembleFragments, stops_when_asked) {
  const FragmentEncoder encoder = *FragmentEncoder::untrained(NetworkOptions::plain(), 1);
  const std::vector<TriangleMesh> two{ball(1.0), ball(2.0)};
  Listener listener;
  listener.cancelled = [] { return true; };
  const auto result = assemble_fragments(pointers_to(two), encoder, quick(200.0), Threads::none(), listener);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().cause, Cause::cancelled);
}

}  // namespace
}  // namespace pmtr
