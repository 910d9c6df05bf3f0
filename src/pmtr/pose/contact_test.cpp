// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/contact.h"

#include <gtest/gtest.h>

namespace pmtr {
namespace {

/// A unit square in the plane z = 0, facing up or down.
PointCloud square(float facing) {
  PointCloud cloud;
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 40; ++j) {
      cloud.points.emplace_back((static_cast<float>(i) + 0.5F) / 40.0F,
                                (static_cast<float>(j) + 0.5F) / 40.0F, 0.0F);
      cloud.normals.emplace_back(0.0F, 0.0F, facing);
    }
  }
  return cloud;
}

Contact contact_at(double height, double shift, float facing = -1.0F) {
  const Rigid3 a_from_b{Eigen::Matrix3d::Identity(), {shift, 0.0, height}};
  return measure_contact(square(1.0F), square(facing), a_from_b, 1.0, 0.05, Threads::none());
}

TEST(Contact, of_two_squares_face_to_face) {
  const Contact contact = contact_at(0.01, 0.0);
  EXPECT_NEAR(contact.area, 1.0, 1e-9);
  EXPECT_NEAR(contact.gap_mean, 0.01, 1e-6);
  EXPECT_NEAR(contact.gap_p95, 0.01, 1e-6);
  EXPECT_EQ(contact.penetration, 0.0);
}

TEST(Contact, shrinks_with_the_overlap) { EXPECT_NEAR(contact_at(0.0, 0.5).area, 0.5, 0.06); }

TEST(Contact, penetration_is_the_depth_inside) {
  EXPECT_NEAR(contact_at(-0.02, 0.0).penetration, 0.02, 1e-6);
}

TEST(Contact, surfaces_that_face_the_same_way_do_not_touch) {
  EXPECT_EQ(contact_at(0.0, 0.0, 1.0F).points, 0);
}

TEST(Contact, far_surfaces_do_not_touch) {
  const Contact contact = contact_at(0.5, 0.0);
  EXPECT_EQ(contact.points, 0);
  EXPECT_EQ(contact.area, 0.0);
}

}  // namespace
}  // namespace pmtr
