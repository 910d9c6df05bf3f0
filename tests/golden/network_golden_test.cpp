// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The network against the authors' own numbers, layer by layer: each is fed the reference's input.
#include <gtest/gtest.h>

#include "pmtr/network/ops.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/network/proxy_match_transform.h"
#include "support/golden_case.h"

namespace pmtr {
namespace {

const ProxyMatchTransform& proxy_match_transform(const Matcher& matcher) {
  return dynamic_cast<const ProxyMatchTransform&>(*std::get<std::unique_ptr<FragmentMatcher>>(matcher));
}

constexpr double feature_tolerance = 1e-5;
const std::vector<Role> pair_roles = {Role::source, Role::target};

PmtrNetwork load_network(const std::string& file = "state_dict.safetensors") {
  const auto path = test::shared_folder() / "golden" / file;
  const auto weights = read_weights(path);
  EXPECT_TRUE(weights.ok()) << weights.error().text();
  auto network = PmtrNetwork::load(*weights, path.string());
  EXPECT_TRUE(network.ok()) << network.error().text();
  return *std::move(network);
}

class NetworkGolden : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    PMTR_REQUIRE_SHARED("golden");
    golden_.emplace(GetParam());
    network_.emplace(load_network());
    batch_ = golden_->batch();
  }

  void expect_equal(const torch::Tensor& actual, const std::string& name) {
    SCOPED_TRACE(name);
    EXPECT_LT(golden_->deviation(actual, name), feature_tolerance) << GetParam() << "/" << name;
  }

  torch::NoGradGuard no_grad_;
  std::optional<test::GoldenCase> golden_;
  std::optional<PmtrNetwork> network_;
  PyramidBatch batch_;
  Execution execution_{&Threads::none()};
};

INSTANTIATE_TEST_SUITE_P(Cases, NetworkGolden, testing::Values("bottle", "artifact"),
                         [](const auto& test_case) { return test_case.param; });

TEST_P(NetworkGolden, encoder) {
  const EncoderFeatures features = network_->backbone().encode(batch_, execution_);
  for (int i = 0; i < 3; ++i) expect_equal(features[static_cast<std::size_t>(i)], "enc_" + std::to_string(i));
}

// The blocks one by one, where their inputs were kept.
TEST_P(NetworkGolden, encoder_blocks) {
  if (!golden_->has("dbg_block_0_0")) GTEST_SKIP() << "single layers were kept for the other case only";
  const Backbone& backbone = network_->backbone();
  const torch::Tensor ones = torch::ones({batch_.levels[0].points.size(0), 1});
  const auto site = [&](std::size_t level) { return ConvolutionSite::at(batch_, level); };

  expect_equal(backbone.encoder00->conv(site(0).queries, site(0).supports, site(0).table, ones, execution_),
               "dbg_kpconv_0_0");
  expect_equal((*backbone.encoder00)(site(0), ones, execution_), "dbg_block_0_0");
  const struct {
    std::size_t level, index;
    std::string name, input;
  } blocks[] = {{0, 0, "0_1", "dbg_block_0_0"}, {1, 0, "1_0", "enc_0"}, {1, 1, "1_1", "dbg_block_1_0"},
                {1, 2, "1_2", "dbg_block_1_1"}, {2, 0, "2_0", "enc_1"}, {2, 1, "2_1", "dbg_block_2_0"},
                {2, 2, "2_2", "dbg_block_2_1"}};
  for (const auto& block : blocks) {
    const ResidualBlock& layer = backbone.encoders[block.level][block.index];
    const bool strided = block.level > 0 && block.index == 0;
    const ConvolutionSite where = strided ? ConvolutionSite::down_to(batch_, block.level) : site(block.level);
    const torch::Tensor input = golden_->tensor(block.input);
    const torch::Tensor narrow = layer.unary1(input, execution_);
    expect_equal(layer.conv(where.queries, where.supports, where.table, narrow, execution_),
                 "dbg_kpconv_" + block.name);
    const std::string output = golden_->has("dbg_block_" + block.name) ? "dbg_block_" + block.name
                                                                       : "enc_" + std::to_string(block.level);
    expect_equal(layer(where, input, execution_), output);
  }
}

TEST_P(NetworkGolden, fine_matchers) {
  if (!golden_->has("dec_0_pre_pmt")) GTEST_SKIP() << "whole inputs were kept for the other case only";
  const Backbone& backbone = network_->backbone();
  const std::string pre[] = {"dec_0_pre_pmt", "dec_1_pre_pmt"};
  const std::string post[] = {"dec_0_post_pmt", "dec_1_post_pmt"};
  for (std::size_t stage = 0; stage < 2; ++stage) {
    const BatchLevel& level = batch_.levels[1 - stage];
    const torch::Tensor input = golden_->tensor(pre[stage]);
    expect_equal(backbone.match(stage, level, input, pair_roles, execution_), post[stage]);

    const auto& pmt = proxy_match_transform(backbone.matchers[stage]);
    for (std::size_t i = 0; i < 2; ++i) {
      const FragmentRows rows = FragmentRows::of(level, i);
      const auto outputs = pmt.layer_outputs(input.narrow(0, rows.begin, rows.count),
                                             fine_match_site(level, i), pair_roles[i], execution_);
      for (std::size_t l = 0; l < outputs.size(); ++l) {
        expect_equal(outputs[l], "dbg_finepmt_" + std::to_string(stage) + "_" + std::to_string(l) +
                                     (i == 0 ? "_src" : "_trg"));
      }
    }
  }
}

TEST_P(NetworkGolden, decoder) {
  // From the reference's encoder where it was kept whole, from ours otherwise (equal by the encoder test).
  EncoderFeatures encoded = network_->backbone().encode(batch_, execution_);
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    const std::string name = "enc_" + std::to_string(i);
    if (golden_->has(name)) encoded[i] = golden_->tensor(name);
  }
  const DecoderFeatures decoded = network_->backbone().decode(batch_, encoded, pair_roles, execution_);
  expect_equal(decoded.level1_before_match, "dec_0_pre_pmt");
  expect_equal(decoded.level1, "dec_0_post_pmt");
  expect_equal(decoded.level0_before_match, "dec_1_pre_pmt");
  expect_equal(decoded.fine, "dec_1_post_pmt");
}

TEST_P(NetworkGolden, coarse_matcher) {
  const torch::Tensor input = golden_->tensor("enc_2");
  const BatchLevel& level = batch_.levels[2];
  const torch::Tensor out = network_->match_coarse(level, input, pair_roles, execution_);
  const torch::Tensor normalised = ops::l2_normalise(out, execution_);
  const auto& pmt = proxy_match_transform(network_->coarse_matcher());
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string role = i == 0 ? "src" : "trg";
    const FragmentRows rows = FragmentRows::of(level, i);
    expect_equal(out.narrow(0, rows.begin, rows.count), "coarse_out_" + role);
    expect_equal(normalised.narrow(0, rows.begin, rows.count), "coarse_norm_" + role);
    if (!golden_->has("dbg_coarsepmt_0_src")) continue;
    const MatchSite site = coarse_match_site(level, i, network_->options().coarse_attention_radius, true);
    const auto outputs =
        pmt.layer_outputs(input.narrow(0, rows.begin, rows.count), site, pair_roles[i], execution_);
    for (std::size_t l = 0; l < outputs.size(); ++l) {
      expect_equal(outputs[l], "dbg_coarsepmt_" + std::to_string(l) + "_" + role);
    }
  }
}

TEST(NetworkWeights, both_files_give_the_same_network) {
  PMTR_REQUIRE_SHARED("golden");
  const PmtrNetwork a = load_network("state_dict.pth");
  const PmtrNetwork b = load_network("state_dict.safetensors");
  ASSERT_EQ(a.parameters().entries().size(), b.parameters().entries().size());
  for (std::size_t i = 0; i < a.parameters().entries().size(); ++i) {
    const auto& x = a.parameters().entries()[i];
    const auto& y = b.parameters().entries()[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_TRUE(torch::equal(x.tensor, y.tensor)) << x.name;
  }
  EXPECT_EQ(a.parameters().learnt_count(), 1873633);
}

}  // namespace
}  // namespace pmtr
