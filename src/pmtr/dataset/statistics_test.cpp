// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/statistics.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/dataset/check_object.h"
#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/dataset/roughness.h"

namespace pmtr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Roughness, AFlatCutHasNone) {
  const BrokenObject object = make_broken_object(test::cut_bar(2, 5));
  const Roughness roughness = measure_roughness(object.pieces[0], object.mating.partner[0], 1);
  EXPECT_NEAR(roughness.relief, 0.0, 1e-7);
  EXPECT_NEAR(roughness.normal_spread_deg, 0.0, 1e-5);
}

TEST(Roughness, AHalfSphereHasTheValuesOfTheTextbook) {
  TriangleMesh sphere;
  const std::uint32_t n = 200;
  for (std::uint32_t j = 0; j <= n; ++j) {
    for (std::uint32_t i = 0; i <= n; ++i) {
      const double theta = 0.5 * std::numbers::pi * j / n;
      const double phi = 2 * std::numbers::pi * i / n;
      sphere.vertices.emplace_back(3 + 2 * std::sin(theta) * std::cos(phi),
                                   2 * std::sin(theta) * std::sin(phi), 2 * std::cos(theta));
    }
  }
  for (std::uint32_t j = 0; j < n; ++j) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t a = j * (n + 1) + i;
      sphere.faces.push_back({a, a + n + 1, a + n + 2});
      sphere.faces.push_back({a, a + n + 2, a + 1});
    }
  }
  const std::vector<std::int32_t> partner(sphere.faces.size(), 1);
  const Roughness roughness = measure_roughness(sphere, partner, 1);
  // Height on a half sphere of radius r is even between 0 and r: variance r^2 / 12, area 2 pi r^2.
  EXPECT_NEAR(roughness.relief, std::sqrt(1.0 / 12 / (2 * std::numbers::pi)), 1e-4);
  // Mean of theta^2 sin theta over the half sphere is pi - 2.
  EXPECT_NEAR(roughness.normal_spread_deg, std::sqrt(std::numbers::pi - 2) * 180 / std::numbers::pi, 0.05);
  EXPECT_EQ(measure_roughness(sphere, partner, 2).relief, 0.0);
}

TEST(Statistics, OfBars) {
  std::vector<FractureMeasure> measures;
  for (const int n : {2, 2, 4}) {
    BrokenObject object = make_broken_object(test::cut_bar(n, 3));
    object.object = n == 2 ? "two" : "four";
    measures.push_back(measure_fracture(object));
  }
  const DatasetStatistics statistics = summarise(measures);
  EXPECT_EQ(statistics.objects, 2);
  EXPECT_EQ(statistics.fractures, 3);
  EXPECT_EQ(statistics.pieces, 8);
  EXPECT_EQ(statistics.pairs, 5);
  EXPECT_EQ(statistics.by_pieces.at(4).pairs_per_fracture, 3.0);
  const double outer = 2 * (0.125 + 0.25 + 0.5);
  EXPECT_NEAR(statistics.by_pieces.at(2).fracture_over_outer.q50, 0.125 / outer, 1e-9);
  EXPECT_NEAR(statistics.by_pieces.at(4).fracture_over_outer.q50, 3 * 0.125 / outer, 1e-9);
  EXPECT_NEAR(statistics.by_pieces.at(2).overlap_smaller.q50, 0.125 / (outer / 2 + 0.125), 1e-9);
  EXPECT_EQ(statistics.constrained_by_pieces.at(4).fractures, 1);
  EXPECT_EQ(statistics.under_hundredth_area, 0.0);
  EXPECT_NEAR(statistics.volume_share.q95, 0.5, 1e-9);
}

TEST(Statistics, Quantiles) {
  std::vector<double> values;
  for (int i = 100; i >= 0; --i) values.push_back(i);
  const Quantiles q = quantiles(values);
  EXPECT_DOUBLE_EQ(q.q05, 5);
  EXPECT_DOUBLE_EQ(q.q50, 50);
  EXPECT_DOUBLE_EQ(q.q95, 95);
  EXPECT_EQ(quantiles({}).q50, 0.0);
  EXPECT_EQ(quantiles({7.0}).q95, 7.0);
}

TEST(CheckObject, SaysWhatIsWrong) {
  BrokenObject object = make_broken_object(test::cut_bar(3, 2));
  for (std::size_t p = 0; p < 3; ++p) object.piece_names[p] = "piece_" + std::to_string(p);
  EXPECT_TRUE(find_problems(object).empty());

  BrokenObject apart = make_broken_object({object.pieces[0], object.pieces[2]});
  EXPECT_THAT(find_problems(apart), ElementsAre(HasSubstr("by distance"), HasSubstr("in 2 groups")));

  auto pieces = object.pieces;
  pieces[1].faces.pop_back();
  BrokenObject open = make_broken_object(pieces);
  open.piece_names = object.piece_names;
  EXPECT_THAT(find_problems(open), ElementsAre(HasSubstr("piece_1 is open at 3 edges")));
}

}  // namespace
}  // namespace pmtr
