// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/rigid3.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

Rigid3 random_pose(Random& random) {
  return {random.rotation(), {random.normal(), random.normal(), random.normal()}};
}

TEST(Rigid3, DefaultIsIdentity) {
  const Eigen::Vector3d point(1, 2, 3);
  EXPECT_EQ(Rigid3() * point, point);
  EXPECT_EQ(Rigid3().matrix(), Eigen::Matrix4d::Identity());
}

TEST(Rigid3, RotatesThenMoves) {
  // A quarter turn about z, then one up.
  const Rigid3 a_from_b{Eigen::AngleAxisd(std::numbers::pi / 2, Eigen::Vector3d::UnitZ()).toRotationMatrix(),
                        {0, 0, 1}};
  EXPECT_LT((a_from_b * Eigen::Vector3d(1, 0, 0) - Eigen::Vector3d(0, 1, 1)).norm(), 1e-15);
}

TEST(Rigid3, ComposesLikeItsMatrix) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const Rigid3 a_from_b = random_pose(random);
    const Rigid3 b_from_c = random_pose(random);
    const Eigen::Vector3d point(random.normal(), random.normal(), random.normal());
    const Rigid3 a_from_c = a_from_b * b_from_c;
    EXPECT_LT((a_from_c.matrix() - a_from_b.matrix() * b_from_c.matrix()).norm(), 1e-14);
    EXPECT_LT((a_from_c * point - a_from_b * (b_from_c * point)).norm(), 1e-14);
    EXPECT_LT((a_from_b.matrix() * point.homogeneous() - (a_from_b * point).homogeneous()).norm(), 1e-14);
  }
}

TEST(Rigid3, InverseUndoes) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Rigid3 a_from_b = random_pose(random);
    EXPECT_LT(((a_from_b.inverse() * a_from_b).matrix() - Eigen::Matrix4d::Identity()).norm(), 1e-14);
    EXPECT_LT((a_from_b.inverse().matrix() - a_from_b.matrix().inverse()).norm(), 1e-13);
  }
}

TEST(RotationAngle, IsTheGeodesicAngle) {
  Random random(3);
  for (const double angle : {0.0, 1e-7, 0.1, 1.0, 3.0, std::numbers::pi}) {
    const Eigen::Matrix3d a = random.rotation();
    const Eigen::Vector3d axis = random.rotation().col(0);
    const Eigen::Matrix3d b = a * Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    EXPECT_NEAR(rotation_angle(a, b), angle, 1e-14 + 1e-7 * (angle > 3.1));  // flat at pi
    EXPECT_NEAR(rotation_angle(b, a), angle, 1e-14 + 1e-7 * (angle > 3.1));
  }
  // Never more than half a turn.
  const Eigen::Matrix3d most =
      Eigen::AngleAxisd(1.5 * std::numbers::pi, Eigen::Vector3d::UnitX()).toRotationMatrix();
  EXPECT_NEAR(rotation_angle(Eigen::Matrix3d::Identity(), most), 0.5 * std::numbers::pi, 1e-14);
  EXPECT_NEAR(rotation_angle_deg(Eigen::Matrix3d::Identity(), most), 90.0, 1e-12);
}

TEST(Rigid3, from_translation_only_moves) {
  const Eigen::Vector3d shift(1, 2, 3);
  EXPECT_EQ(Rigid3::from_translation(shift) * Eigen::Vector3d(4, 5, 6), Eigen::Vector3d(5, 7, 9));
}

}  // namespace
}  // namespace pmtr
