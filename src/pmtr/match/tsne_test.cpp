// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/tsne.h"

#include <gtest/gtest.h>

namespace pmtr {
namespace {

/// Three groups of 20 rows in ten dimensions, far apart.
FeatureMatrix three_groups(Random& random) {
  FeatureMatrix rows{60, 10, {}};
  for (int i = 0; i < 60; ++i)
    for (int c = 0; c < 10; ++c)
      rows.values.push_back(static_cast<float>(random.normal() + (c == i / 20 ? 12.0 : 0.0)));
  return rows;
}

TEST(Tsne, groups_stay_together_and_apart) {
  Random random(1);
  const std::vector<Eigen::Vector2d> places = tsne(three_groups(random), {}, Random(2));
  ASSERT_EQ(places.size(), 60U);
  int strangers = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    double nearest = 1e300;
    std::size_t who = 0;
    for (std::size_t j = 0; j < 60; ++j) {
      const double away = (places[i] - places[j]).norm();
      if (j == i || away >= nearest) continue;
      nearest = away;
      who = j;
    }
    strangers += who / 20 != i / 20 ? 1 : 0;
  }
  EXPECT_EQ(strangers, 0);
}

TEST(Tsne, the_same_seed_gives_the_same_places) {
  Random random(3);
  const FeatureMatrix rows = three_groups(random);
  EXPECT_EQ(tsne(rows, {}, Random(4)), tsne(rows, {}, Random(4)));
  EXPECT_NE(tsne(rows, {}, Random(4)), tsne(rows, {}, Random(5)));
}

TEST(Tsne, few_and_equal_rows_have_finite_places) {
  for (const std::int64_t count : {0, 1, 3, 9}) {
    const FeatureMatrix rows{count, 2, std::vector<float>(static_cast<std::size_t>(2 * count), 1.0F)};
    for (const Eigen::Vector2d& place : tsne(rows, {}, Random(1))) EXPECT_TRUE(place.allFinite());
  }
}

}  // namespace
}  // namespace pmtr
