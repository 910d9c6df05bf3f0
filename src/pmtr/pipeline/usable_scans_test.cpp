// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/usable_scans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(UsableScans, what_is_wrong_is_cured_and_named_and_the_rest_is_what_was_given) {
  const TriangleMesh good = test::grid_box({0, 0, 0}, {1, 1, 1}, 20);
  TriangleMesh inside_out = good;
  for (auto& face : inside_out.faces) std::swap(face[1], face[2]);
  TriangleMesh cloud = good;
  cloud.faces.clear();
  const std::vector<const TriangleMesh*> given{&good, &inside_out, &cloud};
  AssembleOptions options;
  options.names = {"a.ply", "b.ply", "c.ply"};
  std::vector<std::string> said;
  Listener listener;
  listener.warning = [&](std::string_view text) { said.emplace_back(text); };
  const auto scans = make_usable(given, options, Threads::none(), listener);
  ASSERT_TRUE(scans.ok()) << scans.error().text();
  const auto surfaces = scans->surfaces();
  EXPECT_EQ(surfaces[0], &good);
  EXPECT_NEAR(enclosed_volume(*surfaces[1]), 1.0, 1e-9);
  ASSERT_EQ(surfaces[2]->normals.size(), cloud.vertices.size());
  EXPECT_THAT(said, ElementsAre(HasSubstr("b.ply: its surface is inside out"),
                                StartsWith("c.ply: points without normals; they were estimated")));
  EXPECT_LT(enclosed_volume(inside_out), 0.0) << "what was given stays";
}

TEST(UsableScans, bad_input_is_named) {
  TriangleMesh mesh = test::grid_box({0, 0, 0}, {1, 1, 1}, 2);
  mesh.faces[3][1] = 10'000;
  const std::vector<const TriangleMesh*> given{&mesh};
  const auto scans = make_usable(given, {}, Threads::none(), {});
  ASSERT_FALSE(scans.ok());
  EXPECT_THAT(scans.error().text(), HasSubstr("fragment 0"));
}

}  // namespace
}  // namespace pmtr
