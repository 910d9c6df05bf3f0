// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/internal_walls.h"

#include <gtest/gtest.h>

#include "pmtr/dataset/broken_object.h"
#include "pmtr/dataset/dataset_test_support.h"

namespace pmtr {
namespace {

/// All boxes in one mesh, walls and all, as a raw release has them.
TriangleMesh glued(const std::vector<TriangleMesh>& cells) {
  TriangleMesh all;
  for (const TriangleMesh& cell : cells) {
    const auto first = static_cast<std::uint32_t>(all.vertices.size());
    all.vertices.insert(all.vertices.end(), cell.vertices.begin(), cell.vertices.end());
    for (const auto& [a, b, c] : cell.faces) {
      all.faces.push_back({first + a, first + b, first + c});
      all.face_materials.push_back(static_cast<std::int32_t>(all.faces.size()));
    }
    all.colours.resize(all.vertices.size(), Eigen::Vector4f(static_cast<float>(first), 0, 0, 1));
  }
  return all;
}

TEST(InternalWalls, AreRemovedInPairs) {
  TriangleMesh mesh = glued(test::cut_bar(3, 4));
  const double volume = enclosed_volume(mesh);
  // Two walls of 4 x 4 squares, each of two triangles, each twice.
  EXPECT_EQ(remove_internal_walls(mesh), 2 * 16 * 2 * 2);
  EXPECT_NEAR(surface_area(mesh), 2 * (0.125 + 0.25 + 0.5), 1e-12);
  EXPECT_NEAR(enclosed_volume(mesh), volume, 1e-12);
  EXPECT_EQ(mesh.faces.size(), mesh.face_materials.size());
  EXPECT_EQ(mesh.vertices.size(), mesh.colours.size());
  // 3 boxes of 6 sides with 25 vertices, without 4 sides.
  EXPECT_EQ(mesh.vertices.size(), (18U - 4U) * 25U);
  EXPECT_EQ(remove_internal_walls(mesh), 0);
}

TEST(InternalWalls, WhatIsThereOnceStays) {
  TriangleMesh mesh = test::cut_bar(1)[0];
  const TriangleMesh before = mesh;
  EXPECT_EQ(remove_internal_walls(mesh), 0);
  EXPECT_EQ(mesh.faces, before.faces);
  mesh.faces.push_back(mesh.faces[0]);  // twice with the same orientation
  EXPECT_EQ(remove_internal_walls(mesh), 0);
  mesh.faces.push_back({mesh.faces[0][1], mesh.faces[0][0], mesh.faces[0][2]});
  EXPECT_EQ(remove_internal_walls(mesh), 2);
  EXPECT_EQ(mesh.faces.size(), before.faces.size());
}

TEST(InternalWalls, WithoutThemPiecesMateAsCleanOnesDo) {
  const auto cells = test::cut_bar(4, 3);
  std::vector<TriangleMesh> pieces{glued({cells[0], cells[1]}), glued({cells[2], cells[3]})};
  for (TriangleMesh& piece : pieces) remove_internal_walls(piece);
  const BrokenObject object = make_broken_object(pieces);
  ASSERT_EQ(object.mating.pairs.size(), 1U);
  EXPECT_NEAR(object.mating.pairs[0].area, 0.125, 1e-12);
  EXPECT_NEAR(object.mating.pairs[0].share_of_a, 0.125 / (2 * (0.125 + 0.125 + 0.25)), 1e-12);
}

}  // namespace
}  // namespace pmtr
