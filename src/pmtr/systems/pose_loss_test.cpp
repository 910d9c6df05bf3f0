// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/pose_loss.h"

#include <cmath>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pmtr/evaluate/metrics.h"
#include "pmtr/systems/rotations.h"
#include "pmtr/systems/systems_test_support.h"

namespace pmtr {
namespace {

std::vector<Eigen::Vector3f> points_of(const torch::Tensor& rows) {
  std::vector<Eigen::Vector3f> points;
  for (std::int64_t i = 0; i < rows.size(0); ++i)
    points.emplace_back(rows[i][0].item<float>(), rows[i][1].item<float>(), rows[i][2].item<float>());
  return points;
}

TEST(PoseLoss, chamfer_is_that_of_the_evaluation) {
  Random random(1);
  const torch::Tensor a = test::random_double(random, {30, 3}).to(torch::kFloat);
  const torch::Tensor b = test::random_double(random, {30, 3}).to(torch::kFloat);
  Threads threads(2);
  const torch::Tensor found = chamfer_by_group(a, b, {10, 20}, threads);
  EXPECT_NEAR(found[0].item<double>(),
              chamfer_distance(points_of(a.narrow(0, 0, 10)), points_of(b.narrow(0, 0, 10)), threads), 1e-5);
  EXPECT_NEAR(found[1].item<double>(),
              chamfer_distance(points_of(a.narrow(0, 10, 20)), points_of(b.narrow(0, 10, 20)), threads),
              1e-5);
}

TEST(PoseLoss, the_truth_costs_nothing_and_a_known_error_what_it_should) {
  const auto objects = test::two_bars(20);
  const PartBatch batch = stack_objects(objects);
  const PartPoses truth = stack_truth(objects);
  EXPECT_NEAR(common_loss(truth, truth, batch, Threads::none()).total.item<double>(), 0.0, 1e-5);
  EXPECT_NEAR(nsm_loss(truth, truth, batch).total.item<double>(), 0.0, 1e-6);
  EXPECT_NEAR(angle_loss(truth, truth, batch).total.item<double>(), 0.0, 5e-3);
  PartPoses moved = truth;
  moved.translation = truth.translation + torch::tensor({0.3F, 0.0F, 0.4F});
  EXPECT_NEAR(common_loss(moved, truth, batch, Threads::none()).terms.at("translation"), 0.25, 1e-5);
  EXPECT_NEAR(nsm_loss(moved, truth, batch).terms.at("points"), 0.25, 1e-5);
  // A quaternion and its negative are one rotation.
  PartPoses negative = truth;
  negative.quaternion = -truth.quaternion;
  EXPECT_NEAR(common_loss(negative, truth, batch, Threads::none()).terms.at("quaternion"), 0.0, 1e-5);
  EXPECT_NEAR(nsm_loss(negative, truth, batch).terms.at("quaternion"), 0.0, 1e-6);
  PartPoses turned = truth;
  const auto angle = static_cast<float>(0.5);
  const torch::Tensor turn = matrices_of_quaternions(
      torch::tensor({std::cos(angle / 2), 0.0F, 0.0F, std::sin(angle / 2)}).view({1, 4}));
  turned.rotation = torch::matmul(turn, truth.rotation);
  EXPECT_NEAR(angle_loss(turned, truth, batch).terms.at("angle"), 0.5, 1e-3);
}

TEST(PoseLoss, every_object_counts_the_same) {
  const auto objects = test::two_bars(20, {4, 2});
  const PartBatch batch = stack_objects(objects);
  const PartPoses truth = stack_truth(objects);
  PartPoses moved = truth;
  moved.translation = truth.translation.clone();
  moved.translation[4] += 1.0F;  // one of the two parts of the second object, by the root of 3
  EXPECT_NEAR(common_loss(moved, truth, batch, Threads::none()).terms.at("translation"), 3.0 / 2 / 2, 1e-5);
}

TEST(PoseLoss, poses_that_are_no_numbers_are_a_loss_that_is_none) {
  const auto objects = test::two_bars(20);
  const PartBatch batch = stack_objects(objects);
  PartPoses wrong = stack_truth(objects);
  wrong.translation = wrong.translation * std::nan("");
  EXPECT_TRUE(
      std::isnan(common_loss(wrong, stack_truth(objects), batch, Threads::none()).total.item<double>()));
}

TEST(Rotations, quaternions_axes_and_motions_agree) {
  Random random(2);
  std::vector<Rigid3> motions;
  for (int i = 0; i < 20; ++i)
    motions.push_back({random.rotation(), {random.normal(), random.normal(), random.normal()}});
  const PartPoses poses = poses_of(motions);
  EXPECT_LT((matrices_of_quaternions(poses.quaternion) - poses.rotation).abs().max().item<double>(), 1e-6);
  // The axes x and y, of any length, y with some of x added.
  const torch::Tensor x = poses.rotation.select(2, 0), y = poses.rotation.select(2, 1);
  EXPECT_LT((matrices_of_axes(torch::cat({2 * x, 3 * y + x}, 1)) - poses.rotation).abs().max().item<double>(),
            1e-6);
  const auto back = motions_of(poses);
  for (std::size_t i = 0; i < motions.size(); ++i)
    EXPECT_LT((back[i].matrix() - motions[i].matrix()).norm(), 1e-6);
}

}  // namespace
}  // namespace pmtr
