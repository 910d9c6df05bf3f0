// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/validation.h"

#include <numbers>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

namespace pmtr {
namespace {

TEST(RotationDegrees, by_hand) {
  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(std::numbers::pi / 6, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  EXPECT_NEAR(rotation_degrees(Eigen::Matrix3d::Identity(), turn), 30.0, 1e-9);
  EXPECT_NEAR(rotation_degrees(turn, turn), 0.0, 1e-5);
}

}  // namespace
}  // namespace pmtr
