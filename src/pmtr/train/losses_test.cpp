// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/losses.h"

#include <cmath>

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "pmtr/train/train_options.h"

namespace pmtr {
namespace {

TEST(ContrastLoss, by_hand) {
  const torch::Tensor source = torch::eye(2);
  const torch::Tensor target = torch::eye(2);
  // Only superpoint 0 of each overlaps; it is compared with both superpoints of the partner.
  const double right = contrast_loss(source, target, {{0, 0, 0.5F}}, Threads::none()).item<double>();
  EXPECT_NEAR(right, std::log(1.0 + std::exp(-10.0)), 1e-6);
  const double wrong = contrast_loss(source, target, {{0, 1, 0.5F}}, Threads::none()).item<double>();
  EXPECT_NEAR(wrong, 10.0 + std::log(1.0 + std::exp(-10.0)), 1e-5);
  EXPECT_EQ(contrast_loss(source, target, {}, Threads::none()).item<double>(), 0.0);
}

TEST(ContrastLoss, pulls_partners_together) {
  torch::manual_seed(1);
  const torch::Tensor a = torch::randn({6, 8}).set_requires_grad(true);
  const torch::Tensor b = torch::randn({5, 8});
  const std::vector<PatchOverlap> overlaps{{0, 1, 0.3F}, {2, 1, 0.2F}, {3, 4, 0.9F}};
  const auto loss_at = [&](const torch::Tensor& x) {
    const auto unit = [](const torch::Tensor& t) { return t / t.norm(2, 1, true); };
    return contrast_loss(unit(x), unit(b), overlaps, Threads::none());
  };
  const torch::Tensor before = loss_at(a);
  const torch::Tensor gradient = torch::autograd::grad({before}, {a})[0];
  EXPECT_TRUE(gradient.isfinite().all().item<bool>());
  const torch::Tensor after = loss_at((a - 0.05 * gradient).detach());
  // To first order the loss falls by the step times the squared length of the gradient.
  const double expected = 0.05 * gradient.square().sum().item<double>();
  EXPECT_NEAR(before.item<double>() - after.item<double>(), expected, 0.3 * expected);
}

TEST(LossOptions, matching_begins_when_it_is_told_to) {
  LossOptions options;
  options.matching_from = 10;
  EXPECT_EQ(losses_at(options, 9).coarse, 0.0);
  EXPECT_EQ(losses_at(options, 9).fine, 0.0);
  EXPECT_EQ(losses_at(options, 9).fracture, options.fracture);
  EXPECT_EQ(losses_at(options, 10).coarse, options.coarse);
}

/// Points on a line, each touching its partner, and one of the target far away.
PairTruth touching_points() {
  PairTruth truth;
  for (int i = 0; i < 6; ++i) truth.source_assembled.emplace_back(0.1F * static_cast<float>(i), 0.0F, 0.0F);
  truth.target_assembled = truth.source_assembled;
  truth.target_assembled.emplace_back(5.0F, 0.0F, 0.0F);
  return truth;
}

TEST(PointContrastLoss, is_small_where_partners_look_alike_and_large_where_strangers_do) {
  const PairTruth truth = touching_points();
  const torch::Tensor temperature = torch::full({}, std::log(20.0));
  const torch::Tensor alike = torch::eye(7).narrow(0, 0, 6), target = torch::eye(7);
  EXPECT_LT(point_contrast_loss(alike, target, temperature, truth).item<double>(), 1e-6);
  EXPECT_GT(point_contrast_loss(alike, target.roll(1, 0), temperature, truth).item<double>(), 10.0);
  // Nothing can be told apart: the logarithm of how many there are.
  const double level =
      point_contrast_loss(torch::ones({6, 7}), torch::ones({7, 7}), temperature, truth).item<double>();
  EXPECT_NEAR(level, 0.5 * (std::log(7.0) + std::log(6.0)), 1e-5);
}

TEST(PointContrastLoss, is_nothing_where_nothing_touches) {
  PairTruth truth = touching_points();
  for (auto& p : truth.target_assembled) p.y() += 3.0F;
  EXPECT_EQ(point_contrast_loss(torch::eye(6), torch::eye(7).narrow(1, 0, 6), torch::zeros({}), truth)
                .item<double>(),
            0.0);
}

TEST(BreakLoss, a_false_alarm_weighs_more_where_there_is_little_break) {
  const auto loss = [](int broken) {
    std::vector<float> labels(1000, 0.0F);
    std::fill_n(labels.begin(), broken, 1.0F);
    torch::Tensor logits = torch::full({1000}, -8.0);
    logits.narrow(0, 0, broken + 50).fill_(8.0);  // fifty points too many
    return break_loss(logits, labels).item<double>();
  };
  EXPECT_GT(loss(40), loss(500) + 0.1);
}

}  // namespace
}  // namespace pmtr
