// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/adam.h"

#include <gtest/gtest.h>
#include <torch/optim/adam.h>
#include <torch/types.h>

namespace pmtr {
namespace {

TEST(Adam, steps_as_torch_does) {
  torch::manual_seed(1);
  Threads threads(2);
  const std::vector<torch::Tensor> start{torch::randn({300, 401}), torch::randn({7}), torch::randn({3})};
  std::vector<torch::Tensor> ours, theirs;
  for (const auto& tensor : start) {
    ours.push_back(tensor.clone().requires_grad_());
    theirs.push_back(tensor.clone().requires_grad_());
  }
  Adam adam(ours, {});
  torch::optim::Adam reference(theirs, torch::optim::AdamOptions(2e-3));
  for (int step = 0; step < 20; ++step) {
    std::vector<torch::Tensor> gradients;
    for (std::size_t i = 0; i < start.size(); ++i) gradients.push_back(torch::randn_like(start[i]));
    gradients[2].reset();  // nothing depends on it
    for (std::size_t i = 0; i < 2; ++i) theirs[i].mutable_grad() = gradients[i].clone();
    reference.step();
    adam.step(gradients, 2e-3, threads);
  }
  for (std::size_t i = 0; i < start.size(); ++i)
    EXPECT_LT((ours[i] - theirs[i]).abs().max().item<double>(), 1e-6) << i;
  EXPECT_TRUE(torch::equal(ours[2], start[2]));
}

TEST(Adam, a_restored_state_goes_on_as_if_nothing_had_happened) {
  torch::manual_seed(2);
  const torch::Tensor start = torch::randn({1000});
  const std::vector<torch::Tensor> gradients{torch::randn({1000}), torch::randn({1000})};
  const torch::Tensor whole = start.clone();
  Adam one({whole}, {});
  for (const auto& gradient : gradients) one.step({&gradient, 1}, 1e-3, Threads::none());

  const torch::Tensor parts = start.clone();
  Adam first({parts}, {});
  first.step({&gradients[0], 1}, 1e-3, Threads::none());
  Adam second({parts}, {});
  second.restore(first.state());
  second.step({&gradients[1], 1}, 1e-3, Threads::none());
  EXPECT_TRUE(torch::equal(whole, parts));
}

TEST(GradientNorm, is_that_of_all_values_together) {
  const std::vector<torch::Tensor> gradients{torch::full({1}, 3.0), {}, torch::full({2, 2}, 2.0)};
  EXPECT_NEAR(gradient_norm(gradients), 5.0, 1e-6);
}

}  // namespace
}  // namespace pmtr
