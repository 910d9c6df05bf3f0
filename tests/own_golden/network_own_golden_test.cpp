// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The network, its losses and its gradients against what generate.cpp computed in double precision without
// kernels.
#include <sstream>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "own_golden/network_case.h"
#include "pmtr/kernels/cpu.h"

namespace pmtr {
namespace {

using test::Features;
using test::ValueFile;

// Three to four times what rounding does at most; README.md has the figures.
constexpr double feature_tolerance = 3e-5;
constexpr double gradient_tolerance = 2e-4;
constexpr double loss_tolerance = 1e-5;

enum class Way { fused, portable, composed };

/// Losses and all gradients of the kernels as they are chosen now.
void expect_gradients(const PmtrNetwork& network, const PairSample& sample, const std::string& mode,
                      const ValueFile& values, const char* way) {
  const BatchGradient batch =
      batch_gradient(network, std::array{sample}, test::losses_of(mode), Threads::none());
  const auto golden = values.get<double>("losses");
  const LossValues& l = batch.losses;
  const double ours[] = {l.coarse, l.fine, l.orthonormal, l.zero, l.fracture, l.total};
  for (std::size_t i = 0; i < golden.size(); ++i)
    EXPECT_NEAR(ours[i], golden[i], loss_tolerance * golden[i]) << "loss " << i;

  std::map<std::string, torch::Tensor> gradients;
  std::size_t next = 0;
  for (const auto& entry : network.parameters().entries()) {
    if (entry.learnt) gradients[entry.name] = batch.gradients[next++];
  }
  const auto rows = values.get<double>("gradients");
  const test::GradientScale scale(rows);
  std::istringstream names(values.file().metadata.at("learnt"));
  std::string name;
  double worst = 0;
  std::size_t compared = 0;
  for (std::size_t i = 0; std::getline(names, name); i += 3) {
    ASSERT_TRUE(gradients.contains(name)) << name;
    const auto found = test::gradient_digest(name, gradients[name]);
    if (scale.is_rounding(rows[i])) {
      EXPECT_LT(found[0], 1e-5 * scale.longest) << name;
      continue;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const double away = scale.away(found[k], rows[i + k], rows[i]);
      EXPECT_LT(away, gradient_tolerance) << name << " " << k;
      worst = std::max(worst, away);
    }
    ++compared;
  }
  EXPECT_GT(compared, gradients.size() / 2);
  std::printf("  %s, %s: %zu gradients, off by %.1e\n", mode.c_str(), way, compared, worst);
}

class OwnGolden : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { network_.emplace(test::make_network(GetParam(), values_)); }
  void TearDown() override { kernels::force_portable(false); }

  Features features(const PmtrNetwork& network, Way way) const {
    const torch::NoGradGuard no_grad;
    kernels::force_portable(way == Way::portable);
    const Execution execution{&Threads::none(), way == Way::composed};
    const PairSample sample = test::make_sample(pair_, network.options());
    if (network.options().norm_scope == NormScope::pair) {
      const auto batch =
          stack_pyramids(std::array{&sample.source.input.pyramid, &sample.target.input.pyramid});
      return test::name_features(network.forward(batch, {Role::source, Role::target}, execution));
    }
    Features all;
    for (const Role role : {Role::source, Role::target}) {
      const FragmentInput& input = role == Role::source ? sample.source.input : sample.target.input;
      const PyramidBatch batch = stack_pyramids(std::array{&input.pyramid});
      const SharedFeatures shared = network.encode(batch, execution);
      Features own = test::name_features(network.forward(batch, shared, {role}, execution));
      own["fracture"] =
          (*network.fracture_head())(batch, shared.encoded, shared.level1, input.dense, execution).last;
      for (const auto& [name, tensor] : own)
        all[name] = all.contains(name) ? torch::cat({all[name], tensor}) : tensor;
    }
    return all;
  }

  /// max |ours - golden| / max |golden|; infinite where the sizes differ.
  double deviation(const std::string& name, const torch::Tensor& ours) const {
    const std::vector<float> golden = values_.get<float>(name);
    const torch::Tensor digest = test::digest(ours).flatten();
    if (digest.numel() != std::ssize(golden)) return INFINITY;
    const torch::Tensor theirs = torch::tensor(at::ArrayRef<float>(golden)).to(torch::kDouble);
    return ((digest - theirs).abs().max() / theirs.abs().max()).item<double>();
  }

  ValueFile pair_{"pair.safetensors"};
  ValueFile values_{GetParam() + ".safetensors"};
  std::optional<PmtrNetwork> network_;
};

INSTANTIATE_TEST_SUITE_P(Modes, OwnGolden, testing::ValuesIn(test::modes),
                         [](const auto& test_case) { return test_case.param; });

TEST_P(OwnGolden, features_in_every_way) {
  const char* const names[] = {"fused", "portable", "composed"};
  for (const Way way : {Way::fused, Way::portable, Way::composed}) {
    SCOPED_TRACE(names[static_cast<int>(way)]);
    double worst = 0;
    for (const auto& [name, tensor] : features(*network_, way)) {
      const double away = deviation(name, tensor);
      EXPECT_LT(away, feature_tolerance) << name;
      worst = std::max(worst, away);
    }
    std::printf("  %s, %s: off by %.1e\n", GetParam().c_str(), names[static_cast<int>(way)], worst);
  }
}

TEST_P(OwnGolden, losses_and_all_gradients) {
  const PairSample sample = test::make_sample(pair_, network_->options());
  ASSERT_GT(sample.truth.superpoint_pairs.size(), 10U);
  expect_gradients(*network_, sample, GetParam(), values_, "fused");
  kernels::force_portable(true);
  expect_gradients(*network_, sample, GetParam(), values_, "portable");
}

// Values that any network would agree with would be worth nothing.
TEST_P(OwnGolden, a_slightly_other_network_is_told_apart) {
  {
    const torch::NoGradGuard no_grad;
    network_->parameters().find("backbone.encoders.0.1.unary2.norm.norm.bias")->narrow(0, 7, 1).add_(0.05);
  }
  const Features other = features(*network_, Way::fused);
  for (const char* const name : {"encoder0", "encoder1", "encoder2", "level1", "fine", "coarse"})
    EXPECT_GT(deviation(name, other.at(name)), 10 * feature_tolerance) << name;
}

}  // namespace
}  // namespace pmtr
