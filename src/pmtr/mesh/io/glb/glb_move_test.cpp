// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/random.h"
#include "pmtr/mesh/io/glb/glb.h"
#include "pmtr/mesh/io/glb/glb_test_file.h"

namespace pmtr {
namespace {

using namespace test;
using testing::HasSubstr;

Rigid3 some_pose() {
  Random random(7, 0);
  return {random.rotation(), {3, -40, 0.5}};
}

/// Moves a file, checks the vertices and the binary part, and gives the new JSON.
std::string check_moved(const std::string& json) {
  const Rigid3 pose = some_pose();
  const auto file = make_glb(json, triangle_binary());
  const auto before = parse_glb(file, "part.glb");
  const auto moved = move_glb(file, pose, "part.glb");
  EXPECT_TRUE(before.ok() && moved.ok());
  if (!before.ok() || !moved.ok()) return "";
  const auto after = parse_glb(*moved, "part.glb");
  EXPECT_TRUE(after.ok()) << after.error().text();
  if (!after.ok()) return "";
  EXPECT_EQ(after->vertices.size(), before->vertices.size());
  for (std::size_t i = 0; i < std::min(after->vertices.size(), before->vertices.size()); ++i) {
    EXPECT_LT((after->vertices[i] - pose * before->vertices[i]).norm(), 1e-12);
  }
  EXPECT_EQ(after->faces, before->faces);
  const auto chunks_before = glb::split(file, "");
  const auto chunks_after = glb::split(*moved, "");
  EXPECT_EQ(as_text(chunks_after->after_json), as_text(chunks_before->after_json));
  EXPECT_EQ(moved->size() % 4, 0U);
  return std::string(chunks_after->json);
}

TEST(GlbMove, OneNewRootAndNothingElseChanges) {
  std::string json = replaced(triangle_json, "{\"asset\"", R"({"zebra":{"b":[1,2.5,null],"a":"ü"},"asset")");
  std::string moved = check_moved(json);
  // Undo the two places that may differ; the rest must be the same text.
  const std::size_t begin = moved.find(",{\"name\":\"placed\"");
  const std::size_t end = moved.find("\"children\":[0]}", begin);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  moved.erase(begin, end + std::string("\"children\":[0]}").size() - begin);
  moved = replaced(moved, R"("scenes":[{"nodes":[1]}])", R"("scenes":[{"nodes":[0]}])");
  EXPECT_EQ(moved.substr(0, moved.find_last_not_of(' ') + 1), json);
}

TEST(GlbMove, HierarchiesAndSeveralRoots) {
  const std::string nodes =
      R"("nodes":[{"mesh":0,"scale":[1,-2,1],"children":[2]},{"mesh":0},{"mesh":0,"translation":[1,2,3]}])";
  const std::string json = replaced(replaced(triangle_json, R"("nodes":[{"mesh":0}])", nodes),
                                    R"("nodes":[0]})", R"("nodes":[0,1],"name":"all"})");
  EXPECT_THAT(check_moved(json), HasSubstr(R"("scenes":[{"nodes":[3],"name":"all"}])"));
}

TEST(GlbMove, MakesASceneWhereThereIsNone) {
  const std::string json =
      replaced(replaced(triangle_json, R"("scene":0,"scenes":[{"nodes":[0]}],)", ""),
               R"("nodes":[{"mesh":0}])", R"("nodes":[{"mesh":0},{"children":[0]},{"mesh":0}])");
  EXPECT_THAT(check_moved(json), HasSubstr(R"("scene":0,"scenes":[{"nodes":[3]}])"));
}

TEST(GlbMove, ScenesThatShareNodesStayTrees) {
  const std::string nodes = R"("nodes":[{"mesh":0},{"mesh":0,"translation":[5,5,5]}])";
  const std::string base = replaced(triangle_json, R"("nodes":[{"mesh":0}])", nodes);
  EXPECT_THAT(
      check_moved(replaced(base, R"([{"nodes":[0]}])", R"([{"nodes":[0]},{"nodes":[1]},{"nodes":[0]},{}])")),
      HasSubstr(R"([{"nodes":[2]},{"nodes":[3]},{"nodes":[2]},{}])"));
  EXPECT_THAT(check_moved(replaced(base, R"([{"nodes":[0]}])", R"([{"nodes":[0,1]},{"nodes":[1]}])")),
              HasSubstr(R"([{"nodes":[2,3]},{"nodes":[3]}])"));
}

TEST(GlbMove, CanBeMovedBackAndForth) {
  const auto file = make_glb(triangle_json, triangle_binary());
  const auto there = move_glb(file, some_pose(), "part.glb");
  ASSERT_TRUE(there.ok());
  const auto back = move_glb(*there, some_pose().inverse(), "part.glb");
  ASSERT_TRUE(back.ok());
  const auto mesh = parse_glb(*back, "part.glb");
  ASSERT_TRUE(mesh.ok());
  EXPECT_LT((mesh->vertices[2] - Eigen::Vector3d(0, 2, 0)).norm(), 1e-12);
}

TEST(GlbMove, KeepsUnknownChunksAndRefusesWhatHasNoNodes) {
  auto file = make_glb(triangle_json, triangle_binary());
  const auto extra = raw<std::uint32_t>({4, 0x58585858, 42});
  file = file + extra;
  const auto size = static_cast<std::uint32_t>(file.size());
  std::memcpy(file.data() + 8, &size, sizeof size);
  const auto moved = move_glb(file, some_pose(), "part.glb");
  ASSERT_TRUE(moved.ok());
  EXPECT_TRUE(std::equal(extra.rbegin(), extra.rend(), moved->rbegin()));
  EXPECT_TRUE(parse_glb(*moved, "part.glb").ok());
  EXPECT_EQ(move_glb(make_glb("{}", {}), some_pose(), "part.glb").error().cause, Cause::empty);
  EXPECT_EQ(move_glb({}, some_pose(), "part.glb").error().cause, Cause::empty);
}

}  // namespace
}  // namespace pmtr
