// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/assemble_fragments.h"

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
  options.points = 1000;
  options.dense_points = 2000;
  options.object_size = object_size;
  options.joints.registration = RegistrationOptions::reference();
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
  const auto a = assemble_fragments(metres_1000, encoder, quick(200.0), Threads::none(), {});
  const auto b = assemble_fragments(scaled, encoder, quick(50.0), Threads::none(), {});
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

TEST(AssembleFragments, weights_without_a_fracture_head_want_two_fragments) {
  const FragmentEncoder encoder = *FragmentEncoder::untrained(NetworkOptions::plain(), 1);
  const std::vector<TriangleMesh> three(3, ball(1.0));
  const auto result = assemble_fragments(three, encoder, quick(0.0), Threads::none(), {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().cause, Cause::unsupported);
}

TEST(AssembleFragments, stops_when_asked) {
  const FragmentEncoder encoder = *FragmentEncoder::untrained(NetworkOptions::plain(), 1);
  const std::vector<TriangleMesh> two{ball(1.0), ball(2.0)};
  Listener listener;
  listener.cancelled = [] { return true; };
  const auto result = assemble_fragments(two, encoder, quick(200.0), Threads::none(), listener);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().cause, Cause::cancelled);
}

}  // namespace
}  // namespace pmtr
