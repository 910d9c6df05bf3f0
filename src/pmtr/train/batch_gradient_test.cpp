// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/batch_gradient.h"

#include <cstring>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pmtr/train/train_test_support.h"
#include "support/repeats.h"

namespace pmtr {
namespace {

using Tensors = std::vector<torch::Tensor>;

PmtrNetwork network_in(NormScope scope) {
  NetworkOptions options = NetworkOptions::plain();
  options.norm_scope = scope;
  return *PmtrNetwork::create(options, 3);
}

void expect_same_bytes(const Tensors& a, const Tensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].defined(), b[i].defined());
    if (!a[i].defined()) continue;
    const auto bytes = static_cast<std::size_t>(a[i].numel()) * sizeof(float);
    ASSERT_EQ(std::memcmp(a[i].contiguous().data_ptr(), b[i].contiguous().data_ptr(), bytes), 0) << i;
  }
}

class BatchGradientScope : public testing::TestWithParam<NormScope> {};
INSTANTIATE_TEST_SUITE_P(Scopes, BatchGradientScope, testing::Values(NormScope::fragment, NormScope::pair));

TEST_P(BatchGradientScope, same_bytes_ten_times_and_for_any_team) {
  const PmtrNetwork network = network_in(GetParam());
  const std::vector<PairSample> pairs{test::random_pair(1, 300), test::random_pair(2, 260),
                                      test::random_pair(3, 280)};
  const BatchGradient first = batch_gradient(network, pairs, LossOptions::reference(), Threads::none());
  for (const int team : {1, 2, 3, 8}) {
    Threads threads(team);
    for (int i = 0; i < (team == 2 ? test::repeats(10) : 1); ++i) {
      const BatchGradient again = batch_gradient(network, pairs, LossOptions::reference(), threads);
      expect_same_bytes(again.gradients, first.gradients);
      EXPECT_EQ(again.losses.total, first.losses.total);
    }
  }
}

TEST_P(BatchGradientScope, is_the_mean_over_the_pairs) {
  const PmtrNetwork network = network_in(GetParam());
  const std::vector<PairSample> pairs{test::random_pair(1, 300), test::random_pair(2, 260)};
  LossOptions options = LossOptions::reference();
  options.orthonormal = options.zero = 0.0;
  const auto of = [&](std::span<const PairSample> some) {
    return batch_gradient(network, some, options, Threads::none());
  };
  const BatchGradient both = of(pairs);
  const BatchGradient a = of({pairs.data(), 1});
  const BatchGradient b = of({pairs.data() + 1, 1});
  EXPECT_NEAR(both.losses.total, (a.losses.total + b.losses.total) / 2.0, 1e-12);
  int compared = 0;
  for (std::size_t i = 0; i < both.gradients.size(); ++i) {
    if (!both.gradients[i].defined()) continue;
    const torch::Tensor mean = (a.gradients[i] + b.gradients[i]) / 2.0;
    EXPECT_LE((both.gradients[i] - mean).abs().max().item<double>(), 1e-6 * mean.abs().max().item<double>());
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

// The fragments are differentiated apart; the plain way is one graph from the losses to the weights.
TEST(BatchGradient, equals_one_backward_pass_over_the_whole_graph) {
  const PmtrNetwork network = network_in(NormScope::fragment);
  const PairSample pair = test::random_pair(1, 300);
  const LossOptions options = LossOptions::reference();
  Threads threads(2);
  const BatchGradient ours = batch_gradient(network, {&pair, 1}, options, threads);

  const Execution execution{&Threads::none()};
  const auto output = [&](const Pyramid& pyramid, Role role) {
    return network.forward(stack_pyramids(std::array{&pyramid}), {role}, execution);
  };
  const NetworkOutput a = output(pair.source.input.pyramid, Role::source);
  const NetworkOutput b = output(pair.target.input.pyramid, Role::target);
  const MatchLoss loss =
      match_loss({a.coarse_normalised, b.coarse_normalised, a.decoded.fine, b.decoded.fine}, network,
                 pair.truth, options, Threads::none());
  const ProxyLoss proxies = proxy_loss(network);
  const torch::Tensor total = options.coarse * loss.coarse + options.fine * loss.fine +
                              options.orthonormal * proxies.orthonormal + options.zero * proxies.zero;
  EXPECT_NEAR(total.item<double>(), ours.losses.total, 1e-6 * ours.losses.total);
  total.backward();
  const Tensors parameters = network.parameters().learnt();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const torch::Tensor whole = parameters[i].grad();
    ASSERT_EQ(whole.defined(), ours.gradients[i].defined()) << i;
    if (!whole.defined()) continue;
    const double size = whole.abs().max().item<double>();
    EXPECT_LE((whole - ours.gradients[i]).abs().max().item<double>(), 2e-4 * size + 1e-7) << i;
  }
}

class BatchGradientMatcher : public testing::TestWithParam<MatcherKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, BatchGradientMatcher,
                         testing::Values(MatcherKind::none, MatcherKind::linear, MatcherKind::mlp,
                                         MatcherKind::pmt, MatcherKind::hdc, MatcherKind::geotr));

TEST_P(BatchGradientMatcher, reaches_its_weights_and_has_the_same_bytes_for_any_team) {
  for (const NormScope scope : {NormScope::fragment, NormScope::pair}) {
    NetworkOptions options = NetworkOptions::plain();
    options.norm_scope = scope;
    options.coarse_matcher = options.fine_matcher = GetParam();
    const PmtrNetwork network = *PmtrNetwork::create(options, 3);
    const std::vector<PairSample> pairs{test::random_pair(1, 130), test::random_pair(2, 140)};
    Threads two(2);
    const BatchGradient batch = batch_gradient(network, pairs, LossOptions::reference(), two);
    expect_same_bytes(batch.gradients,
                      batch_gradient(network, pairs, LossOptions::reference(), Threads::none()).gradients);
    std::size_t i = 0;
    int of_matchers = 0;
    for (const auto& entry : network.parameters().entries()) {
      if (!entry.learnt) continue;
      const torch::Tensor& gradient = batch.gradients[i++];
      const bool fine = entry.name.starts_with("backbone.pmt.");
      if (!fine && !entry.name.starts_with("coarse_matcher.")) continue;
      // The last layer of fine transforms is never called.
      if (GetParam() == MatcherKind::pmt && fine && entry.name.find(".out.") == 14) continue;
      ASSERT_TRUE(gradient.defined()) << entry.name;
      EXPECT_TRUE(torch::isfinite(gradient).all().item<bool>()) << entry.name;
      ++of_matchers;
    }
    EXPECT_EQ(of_matchers > 0, GetParam() != MatcherKind::none);
  }
}

// Without the circle loss: its weights are constants to the gradient, which is about half the slope.
TEST(BatchGradient, of_a_matcher_of_both_fragments_says_how_the_loss_falls) {
  NetworkOptions options = NetworkOptions::plain();
  options.coarse_matcher = MatcherKind::geotr;
  options.fine_matcher = MatcherKind::none;
  const PmtrNetwork network = *PmtrNetwork::create(options, 3);
  const PairSample pair = test::random_pair(1, 200);
  LossOptions losses = LossOptions::reference();
  losses.coarse = 0.0;
  const BatchGradient ours = batch_gradient(network, {&pair, 1}, losses, Threads::none());
  double squares = 0.0;
  for (const torch::Tensor& gradient : ours.gradients)
    if (gradient.defined()) squares += gradient.square().sum().item<double>();
  const Tensors parameters = network.parameters().learnt();
  const double step = 1e-2 / squares;
  const auto move = [&](double length) {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (ours.gradients[i].defined()) parameters[i].add_(length * ours.gradients[i]);
  };
  const auto loss_after = [&](double length) {
    move(length);
    const double loss = batch_gradient(network, {&pair, 1}, losses, Threads::none()).losses.total;
    move(-length);
    return loss;
  };
  EXPECT_NEAR((loss_after(step) - loss_after(-step)) / (2.0 * step * squares), 1.0, 0.05);
}

TEST(BatchGradient, a_loss_of_weight_zero_leaves_no_trace) {
  const PmtrNetwork network = network_in(NormScope::fragment);
  const PairSample pair = test::random_pair(1, 300);
  LossOptions options = LossOptions::reference();
  options.coarse = options.fine = options.zero = 0.0;
  const BatchGradient batch = batch_gradient(network, {&pair, 1}, options, Threads::none());
  EXPECT_EQ(batch.losses.coarse, 0.0);
  EXPECT_EQ(batch.losses.total, options.orthonormal * batch.losses.orthonormal);
  std::size_t i = 0;
  for (const auto& entry : network.parameters().entries()) {
    if (!entry.learnt) continue;
    const torch::Tensor& gradient = batch.gradients[i++];
    const bool moved = gradient.defined() && gradient.abs().max().item<float>() > 0.0F;
    EXPECT_EQ(moved, entry.name.ends_with(".proxy")) << entry.name;
  }
}

TEST(BatchGradient, fragments_that_share_nothing_have_finite_gradients) {
  const PmtrNetwork network = network_in(NormScope::fragment);
  PairSample pair = test::random_pair(1, 300);
  pair.truth.overlaps.clear();
  pair.truth.superpoint_pairs.clear();
  const BatchGradient batch = batch_gradient(network, {&pair, 1}, LossOptions::reference(), Threads::none());
  EXPECT_TRUE(std::isfinite(batch.losses.total));
  for (const torch::Tensor& gradient : batch.gradients) {
    if (!gradient.defined()) continue;
    EXPECT_TRUE(torch::isfinite(gradient).all().item<bool>());
  }
}

}  // namespace
}  // namespace pmtr
