// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gtest/gtest.h>

#include "pmtr/pose/pose_search.h"
#include "support/data_folder.h"
#include "support/fracture_pairs.h"

namespace pmtr {
namespace {

struct Counts {
  int total = 0, loose = 0, tight = 0;
};

Counts count_right(double flip, int pairs) {
  const auto objects = test::fractures_by_object(test::fractures_folder());
  Threads threads(2);
  Counts counts;
  for (std::size_t number = 0; counts.total < pairs && number < 40 * objects.size(); ++number) {
    const auto pair = test::draw_pair(objects, 21, number, 0.03, 1.0, 20000);
    if (!pair) continue;
    const OrientedCloud a =
        orient_cloud(pair->a.cloud, pair->a.scores(flip, Random(1, number)), pair->a.area, {}, threads);
    const OrientedCloud b =
        orient_cloud(pair->b.cloud, pair->b.scores(flip, Random(2, number)), pair->b.area, {}, threads);
    const auto found = search_poses(a, b, {}, {}, threads);
    ++counts.total;
    if (found.empty()) continue;
    counts.loose += pair->right(found[0].a_from_b, 10.0, 0.05) ? 1 : 0;
    counts.tight += pair->right(found[0].a_from_b, 5.0, 0.02) ? 1 : 0;
  }
  return counts;
}

TEST(PoseSearchOnFractures, recall_with_true_labels) {
  PMTR_REQUIRE_DATA();
  const Counts counts = count_right(0.0, 300);
  ASSERT_EQ(counts.total, 300);
  EXPECT_GE(counts.loose, 282);  // 94 %
  EXPECT_GE(counts.tight, 270);  // 90 %
}

TEST(PoseSearchOnFractures, recall_with_wrong_labels) {
  PMTR_REQUIRE_DATA();
  const Counts counts = count_right(0.05, 150);
  ASSERT_EQ(counts.total, 150);
  EXPECT_GE(counts.loose, 123);  // 82 %
}

TEST(MatingIcpOnFractures, brings_perturbed_poses_home) {
  PMTR_REQUIRE_DATA();
  const auto objects = test::fractures_by_object(test::fractures_folder());
  Threads threads(2);
  int total = 0;
  int right = 0;
  for (std::size_t number = 0; total < 150 && number < 40 * objects.size(); ++number) {
    const auto pair = test::draw_pair(objects, 22, number, 0.05, 1.0, 20000);
    if (!pair) continue;
    const OrientedCloud a =
        orient_cloud(pair->a.cloud, pair->a.scores(0.0, Random(1)), pair->a.area, {}, threads);
    const OrientedCloud b =
        orient_cloud(pair->b.cloud, pair->b.scores(0.0, Random(2)), pair->b.area, {}, threads);
    Random random(23, number);
    Rigid3 start = pair->a_from_b;
    const double turn = random.uniform(0.0, 10.0) * 3.14159265358979 / 180.0;
    start.rotation = Eigen::AngleAxisd(turn, random.rotation().col(0)).toRotationMatrix() * start.rotation;
    start.translation += random.uniform(0.0, 0.05) * random.rotation().col(0);
    ++total;
    right += pair->right(refine_pose(a, b, start), 1.0, 0.005) ? 1 : 0;
  }
  ASSERT_EQ(total, 150);
  EXPECT_GE(right, 128);  // 85 %
}

}  // namespace
}  // namespace pmtr
