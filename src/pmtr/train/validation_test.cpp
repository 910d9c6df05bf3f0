// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/validation.h"

#include "pmtr/evaluate/label_scores.h"

#include <numbers>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

namespace pmtr {
namespace {

TEST(AreaUnderCurve, by_hand) {
  const std::vector<float> scores{0.9F, 0.8F, 0.7F, 0.6F};
  using Labels = std::vector<std::uint8_t>;
  EXPECT_EQ(area_under_curve(scores, Labels{1, 1, 0, 0}), 1.0);
  EXPECT_EQ(area_under_curve(scores, Labels{0, 0, 1, 1}), 0.0);
  EXPECT_EQ(area_under_curve(scores, Labels{1, 0, 1, 0}), 0.75);
  EXPECT_EQ(area_under_curve(scores, Labels{1, 1, 1, 1}), 0.5);
  const std::vector<float> ties{0.5F, 0.5F, 0.5F};
  EXPECT_EQ(area_under_curve(ties, Labels{1, 0, 1}), 0.5);
}

TEST(RotationDegrees, by_hand) {
  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(std::numbers::pi / 6, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  EXPECT_NEAR(rotation_degrees(Eigen::Matrix3d::Identity(), turn), 30.0, 1e-9);
  EXPECT_NEAR(rotation_degrees(turn, turn), 0.0, 1e-5);
}

}  // namespace
}  // namespace pmtr
