// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/pose_search.h"

#include <gtest/gtest.h>

#include "support/data_folder.h"
#include "support/fracture_pairs.h"

namespace pmtr {
namespace {

/// A few pairs of real fractures with true labels; the long test counts hundreds.
TEST(PoseSearchOnFractures, finds_most_of_a_few_pairs) {
  PMTR_REQUIRE_DATA();
  const auto objects = test::fractures_by_object(test::fractures_folder());
  Threads threads(2);
  int total = 0;
  int right = 0;
  for (std::size_t number = 0; number < 60 && total < 6; number += 7) {
    const auto pair = test::draw_pair(objects, 5, number, 0.03, 1.0, 20000);
    if (!pair) continue;
    const OrientedCloud a =
        orient_cloud(pair->a.cloud, pair->a.scores(0.0, Random(1)), pair->a.area, {}, threads);
    const OrientedCloud b =
        orient_cloud(pair->b.cloud, pair->b.scores(0.0, Random(2)), pair->b.area, {}, threads);
    const auto found = search_poses(a, b, {}, {}, threads);
    ++total;
    const bool good = !found.empty() && pair->right(found[0].a_from_b, 5.0, 0.02);
    right += good ? 1 : 0;
    if (good) {
      EXPECT_GT(found[0].confidence, 0.5) << pair->name;
    }
  }
  ASSERT_EQ(total, 6);
  EXPECT_GE(right, 5);
}

}  // namespace
}  // namespace pmtr
