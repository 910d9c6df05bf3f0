// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/cell_complex.h"

#include <gtest/gtest.h>

#include "pmtr/fracture/fracture_test_support.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

TEST(CellComplex, TwoBoxesShareTheirWall) {
  const CellComplex complex = test::two_boxes();
  ASSERT_TRUE(check_cell_complex(complex).ok());
  EXPECT_DOUBLE_EQ(complex.volumes[0], 1);
  EXPECT_DOUBLE_EQ(complex.volumes[1], 2);
  const std::vector<std::int32_t> labels{0, 1};
  const auto pieces = pieces_of_labels(complex, labels);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(test::count_open_edges(pieces[0]), 0u);
  EXPECT_EQ(test::count_open_edges(pieces[1]), 0u);
  EXPECT_DOUBLE_EQ(enclosed_volume(pieces[0]), 1);
  EXPECT_DOUBLE_EQ(enclosed_volume(pieces[1]), 2);
  const auto areas = mating_areas(complex, labels);
  ASSERT_EQ(areas.size(), 1u);
  EXPECT_EQ(areas[0].a, 0);
  EXPECT_EQ(areas[0].b, 1);
  EXPECT_DOUBLE_EQ(areas[0].area, 1);
  EXPECT_NEAR(test::common_area(pieces[0], pieces[1]), 1, 1e-12);
}

TEST(CellComplex, MergedCellsLoseTheirWall) {
  const CellComplex complex = test::two_boxes();
  const std::vector<std::int32_t> labels{0, 0};
  const auto pieces = pieces_of_labels(complex, labels);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(test::count_open_edges(pieces[0]), 0u);
  EXPECT_DOUBLE_EQ(enclosed_volume(pieces[0]), 3);
  EXPECT_EQ(pieces[0].faces.size(), complex.surfaces.faces.size() - 2);
  EXPECT_TRUE(mating_areas(complex, labels).empty());
}

TEST(CellComplex, LooksGoAlong) {
  CellComplex complex = test::two_boxes();
  TriangleMesh& mesh = complex.surfaces;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    mesh.colours.emplace_back(static_cast<float>(v) / 16, 0.0F, 0.0F, 1.0F);
  mesh.uvs = {{0, 0}, {1, 0}, {0, 1}, {0.5F, 0.5F}};
  mesh.materials = {{"a", Eigen::Vector4f::Ones(), -1}, {"b", Eigen::Vector4f::Ones(), -1}};
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    mesh.face_uvs.push_back({3, 1, 2});
    mesh.face_materials.push_back(static_cast<std::int32_t>(f % 2));
  }
  const auto pieces = pieces_of_labels(complex, std::vector<std::int32_t>{0, 1});
  for (const TriangleMesh& piece : pieces) {
    ASSERT_TRUE(check_mesh(piece).ok());
    EXPECT_EQ(piece.uvs.size(), 3u);  // the unused one stays behind
    for (std::size_t v = 0; v < piece.vertices.size(); ++v) {
      const auto old = static_cast<std::size_t>(piece.colours[v].x() * 16 + 0.5F);
      EXPECT_EQ(piece.vertices[v], mesh.vertices[old]);
    }
  }
}

TEST(CellComplex, OpenCellsAndWrongOwnersAreRefused) {
  CellComplex open = test::two_boxes();
  open.surfaces.faces.pop_back();
  open.owners.pop_back();
  EXPECT_EQ(check_cell_complex(open).error().cause, Cause::malformed);
  CellComplex wrong = test::two_boxes();
  wrong.owners[0] = {0, 0};
  EXPECT_FALSE(check_cell_complex(wrong).ok());
  wrong.owners[0] = {0, 2};
  EXPECT_FALSE(check_cell_complex(wrong).ok());
}

}  // namespace
}  // namespace pmtr
