// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The statistics of the real fractures, as they were counted independently.
#include <gtest/gtest.h>

#include "pmtr/dataset/check_object.h"
#include "pmtr/dataset/statistics.h"
#include "support/data_folder.h"

namespace pmtr {
namespace {

TEST(DatasetStatistics, AreThoseOfTheRealFractures) {
  PMTR_REQUIRE_DATA();
  const auto index = list_dataset(test::fractures_folder(), {});
  ASSERT_TRUE(index.ok()) << index.error().text();
  Threads threads(2);
  const auto measures = measure_dataset(*index, ObjectCache(""), false, threads);
  ASSERT_TRUE(measures.ok()) << measures.error().text();
  const DatasetStatistics s = summarise(*measures);
  EXPECT_EQ(s.objects, 162);
  EXPECT_EQ(s.fractures, 755);
  EXPECT_EQ(s.pieces, 4173);
  EXPECT_EQ(s.pairs, 5076);
  EXPECT_EQ(s.by_distance, 0);
  EXPECT_EQ(s.wall_triangles, 0);
  std::int64_t nine_and_more = 0;
  const std::map<int, std::int64_t> wanted{{2, 166}, {3, 19}, {4, 168}, {5, 13}, {6, 161}, {7, 12}, {8, 161}};
  for (const auto& [pieces, summary] : s.by_pieces) {
    if (pieces > 8) {
      nine_and_more += summary.fractures;
    } else {
      EXPECT_EQ(summary.fractures, wanted.at(pieces)) << pieces;
    }
  }
  EXPECT_EQ(nine_and_more, 55);
  EXPECT_NEAR(s.by_pieces.at(2).pairs_per_fracture, 1.0, 0.05);
  EXPECT_NEAR(s.by_pieces.at(4).pairs_per_fracture, 3.9, 0.06);
  EXPECT_NEAR(s.by_pieces.at(6).pairs_per_fracture, 7.2, 0.05);
  EXPECT_NEAR(s.by_pieces.at(8).pairs_per_fracture, 11.5, 0.05);
  EXPECT_NEAR(s.all.overlap_smaller.q05, 0.014, 0.0005);
  EXPECT_NEAR(s.all.overlap_smaller.q50, 0.14, 0.005);
  EXPECT_NEAR(s.all.overlap_smaller.q95, 0.49, 0.005);
  EXPECT_NEAR(s.all.overlap_larger.q05, 0.001, 0.0005);
  EXPECT_NEAR(s.all.overlap_larger.q50, 0.02, 0.005);
  EXPECT_NEAR(s.all.overlap_larger.q95, 0.18, 0.005);
  EXPECT_NEAR(s.under_hundredth_area, 0.11, 0.005);
  EXPECT_NEAR(s.under_fortieth_volume, 0.32, 0.0051);
  EXPECT_NEAR(s.object_size.q05, 1.0, 1e-3);
  EXPECT_NEAR(s.object_size.q95, 1.0, 1e-3);
}

TEST(DatasetCheck, RealPiecesAreClosedAndHangTogether) {
  PMTR_REQUIRE_DATA();
  LayoutOptions options;
  options.categories = {"artifact", "WineGlass", "Bowl"};
  const auto index = list_dataset(test::fractures_folder(), options);
  ASSERT_TRUE(index.ok()) << index.error().text();
  for (const ObjectFiles& object : index->objects) {
    for (const FractureFiles& fracture : object.fractures) {
      const auto broken = read_broken_object(*index, object, fracture);
      ASSERT_TRUE(broken.ok()) << broken.error().text();
      EXPECT_TRUE(find_problems(*broken).empty()) << broken->name();
    }
  }
}

}  // namespace
}  // namespace pmtr
