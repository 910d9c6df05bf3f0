// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/reach.h"

#include <gtest/gtest.h>

namespace pmtr {
namespace {

/// Two points, 0.2 to either side of the centre.
OrientedCloud bar(double centre) {
  OrientedCloud cloud;
  cloud.centre = {centre, 0.0, 0.0};
  cloud.spacing = 0.05F;
  for (const double x : {centre - 0.2, centre + 0.2})
    cloud.points.push_back({Eigen::Vector3d(x, 0.0, 0.0).cast<float>(), 0.0F, Eigen::Vector3f::UnitZ(), 0});
  return cloud;
}

TEST(Reach, ends_where_the_balls_part) {
  const std::vector<OrientedCloud> clouds = {bar(0.0), bar(1.0)};
  const auto moved_by = [](double x) { return Rigid3{Eigen::Matrix3d::Identity(), {x, 0.0, 0.0}}; };
  const Reach close(clouds);
  EXPECT_FALSE(close.meet(0, 1, Rigid3{}));
  EXPECT_TRUE(close.meet(0, 1, moved_by(-0.601)));
  EXPECT_FALSE(close.meet(0, 1, moved_by(-0.599)));
  EXPECT_TRUE(close.meet(1, 0, moved_by(0.601)));
  // A spacing more on either side.
  EXPECT_TRUE(Reach(clouds, 1.0).meet(0, 1, moved_by(-0.501)));
  EXPECT_FALSE(Reach(clouds, 1.0).meet(0, 1, moved_by(-0.499)));
}

}  // namespace
}  // namespace pmtr
