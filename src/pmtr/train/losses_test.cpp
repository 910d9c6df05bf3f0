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

}  // namespace
}  // namespace pmtr
