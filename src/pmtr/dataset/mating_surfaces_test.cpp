// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/mating_surfaces.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/mesh/triangle_tree.h"

namespace pmtr {
namespace {

using test::cut_bar;
using test::grid_box;

TEST(MatingSurfaces, NeighboursInABarShareTheirCut) {
  const auto pieces = cut_bar(3);
  const MatingSurfaces mating = find_mating_surfaces(pieces);
  EXPECT_TRUE(mating.exact);
  ASSERT_EQ(mating.pairs.size(), 2U);
  EXPECT_EQ(mating.pairs[0].a, 0);
  EXPECT_EQ(mating.pairs[0].b, 1);
  EXPECT_EQ(mating.pairs[1].a, 1);
  EXPECT_EQ(mating.pairs[1].b, 2);
  EXPECT_NEAR(mating.pairs[0].area, 0.125, 1e-12);
  const double box_area = 2 * (0.25 * 0.5 + (0.25 + 0.5) / 3);
  EXPECT_NEAR(mating.pairs[0].share_of_a, 0.125 / box_area, 1e-12);
  EXPECT_NEAR(mating.piece_areas[1], box_area, 1e-12);
  for (std::size_t p = 0; p < 3; ++p) {
    for (std::size_t f = 0; f < pieces[p].faces.size(); ++f) {
      const double x = pieces[p].vertices[pieces[p].faces[f][0]].x();
      const bool all_at_x = std::all_of(pieces[p].faces[f].begin(), pieces[p].faces[f].end(),
                                        [&](auto v) { return pieces[p].vertices[v].x() == x; });
      const int wanted = !all_at_x || x == 0.0 || x == 1.0        ? -1
                         : x < (static_cast<double>(p) + 0.5) / 3 ? static_cast<int>(p) - 1
                                                                  : static_cast<int>(p) + 1;
      EXPECT_EQ(mating.partner[p][f], wanted) << "piece " << p << " triangle " << f;
    }
  }
}

TEST(MatingSurfaces, SameOrientationDoesNotMate) {
  auto pieces = cut_bar(2);
  for (auto& face : pieces[1].faces) std::swap(face[0], face[1]);
  MatingOptions options;
  options.method = MatingMethod::exact;
  EXPECT_TRUE(find_mating_surfaces(pieces, options).pairs.empty());
}

TEST(MatingSurfaces, TheOrderOfCornersDoesNotMatter) {
  auto pieces = cut_bar(2);
  for (std::size_t f = 0; f < pieces[1].faces.size(); ++f) {
    auto& face = pieces[1].faces[f];
    std::rotate(face.begin(), face.begin() + static_cast<std::ptrdiff_t>(f % 3), face.end());
  }
  EXPECT_NEAR(find_mating_surfaces(pieces).pairs.at(0).area, 0.125, 1e-12);
}

TEST(MatingSurfaces, ScansMateByDistance) {
  // Another triangulation and a gap: nothing coincides.
  const std::vector<TriangleMesh> pieces{grid_box({0, 0, 0}, {0.5, 0.25, 0.5}, 8),
                                         grid_box({0.502, 0, 0}, {1, 0.25, 0.5}, 7)};
  const MatingSurfaces mating = find_mating_surfaces(pieces);
  EXPECT_FALSE(mating.exact);
  ASSERT_EQ(mating.pairs.size(), 1U);
  EXPECT_NEAR(mating.pairs[0].area, 0.125, 1e-9);
  MatingOptions options;
  options.tolerance = 0.001;
  EXPECT_TRUE(find_mating_surfaces(pieces, options).pairs.empty());
}

TEST(MatingSurfaces, DistanceFindsWhatCoincidenceKnows) {
  const auto pieces = cut_bar(4, 6);
  MatingOptions options;
  options.method = MatingMethod::distance;
  EXPECT_EQ(find_mating_surfaces(pieces, options).partner, find_mating_surfaces(pieces).partner);
}

TEST(MatingSurfaces, DegenerateTrianglesAndEmptyPiecesAreHarmless) {
  auto pieces = cut_bar(2);
  pieces[0].faces.push_back({0, 0, 1});
  pieces.emplace_back();
  const MatingSurfaces mating = find_mating_surfaces(pieces);
  EXPECT_EQ(mating.pairs.size(), 1U);
  EXPECT_EQ(mating.partner[0].back(), -1);
  EXPECT_TRUE(mating.partner[2].empty());
  EXPECT_TRUE(find_mating_surfaces({}).pairs.empty());
}

TEST(MatingSurfaces, SmallSharesCanBeLeftOut) {
  MatingOptions options;
  options.least_share = 0.5;
  EXPECT_TRUE(find_mating_surfaces(cut_bar(2), options).pairs.empty());
}

TEST(MatingSurfaces, OptionsAreChecked) {
  MatingOptions options;
  options.tolerance = 0.0;
  EXPECT_FALSE(options.validate().ok());
  options = {};
  options.least_normal_angle = 30;
  EXPECT_FALSE(options.validate().ok());
  options = {};
  options.least_share = 2;
  EXPECT_FALSE(options.validate().ok());
}

TEST(TriangleTree, DistanceToEveryPartOfATriangle) {
  const Eigen::Vector3d a(0, 0, 0);
  const Eigen::Vector3d b(1, 0, 0);
  const Eigen::Vector3d c(0, 1, 0);
  EXPECT_DOUBLE_EQ(squared_distance_to_triangle({0.25, 0.25, 2}, a, b, c), 4.0);
  EXPECT_DOUBLE_EQ(squared_distance_to_triangle({0.5, -1, 0}, a, b, c), 1.0);
  EXPECT_DOUBLE_EQ(squared_distance_to_triangle({1, 1, 0}, a, b, c), 0.5);
  EXPECT_DOUBLE_EQ(squared_distance_to_triangle({-3, -4, 0}, a, b, c), 25.0);
  EXPECT_DOUBLE_EQ(squared_distance_to_triangle({3, 0, 0}, a, b, b), 4.0);
}

}  // namespace
}  // namespace pmtr
