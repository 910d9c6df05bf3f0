// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/warm_start.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/types.h>
#include "pmtr/network/pmtr_network.h"

namespace pmtr {
namespace {

TEST(WarmStart, takes_what_fits_and_says_the_rest) {
  const PmtrNetwork plain = *PmtrNetwork::create(NetworkOptions::plain(), 1);
  NetworkOptions options = NetworkOptions::plain();
  options.surface_input = options.fracture_head = true;
  PmtrNetwork network = *PmtrNetwork::create(options, 2);
  WeightFile weights = plain.save();
  weights.arrays.push_back({"left.over", DType::f32, {1}, std::vector<std::byte>(4)});
  const auto start = warm_start(network.parameters(), weights, "plain");
  ASSERT_TRUE(start.ok());
  EXPECT_THAT(start->other_shape, testing::ElementsAre("backbone.encoders.0.0.KPConv.weights"));
  EXPECT_THAT(start->unused, testing::ElementsAre("left.over"));
  for (const std::string& name : start->missing) EXPECT_TRUE(name.starts_with("fracture_head.")) << name;
  EXPECT_FALSE(start->missing.empty());
  for (const std::string& name : start->loaded)
    EXPECT_TRUE(torch::equal(*network.parameters().find(name), *plain.parameters().find(name))) << name;
  EXPECT_THAT(start->text(), testing::HasSubstr("not used: left.over"));
  EXPECT_FALSE(warm_start(network.parameters(), WeightFile{}, "empty").ok());
}

TEST(WarmStart, what_is_asked_for_stays_as_initialised) {
  const PmtrNetwork old = *PmtrNetwork::create(NetworkOptions::plain(), 1);
  PmtrNetwork network = *PmtrNetwork::create(NetworkOptions::plain(), 2);
  const PmtrNetwork same = *PmtrNetwork::create(NetworkOptions::plain(), 2);
  const auto start =
      warm_start(network.parameters(), old.save(), "old", std::array<std::string, 1>{"coarse_matcher."});
  ASSERT_TRUE(start.ok());
  EXPECT_FALSE(start->fresh.empty());
  for (const auto& entry : network.parameters().entries()) {
    const bool fresh = entry.name.starts_with("coarse_matcher.");
    EXPECT_TRUE(torch::equal(entry.tensor, *(fresh ? same : old).parameters().find(entry.name)))
        << entry.name;
  }
}

}  // namespace
}  // namespace pmtr
