// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/repeated_samples.h"

#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace pmtr {
namespace {

TEST(RepeatedSamples, every_pair_of_a_round_comes_as_often_before_the_next_begins) {
  const RoundOptions options{.pairs = 5, .times = 3};
  for (std::uint64_t round = 0; round < 4; ++round) {
    std::map<std::uint64_t, int> seen;
    std::set<std::vector<std::uint64_t>> orders;
    for (std::uint64_t pass = 0; pass < 3; ++pass) {
      std::vector<std::uint64_t> order;
      for (std::uint64_t i = 0; i < 5; ++i)
        order.push_back(repeated_index((round * 3 + pass) * 5 + i, options, 7));
      for (const std::uint64_t own : order) ++seen[own];
      orders.insert(order);
    }
    ASSERT_EQ(seen.size(), 5U);
    for (const auto& [own, times] : seen) {
      EXPECT_EQ(own / 5, round);
      EXPECT_EQ(times, 3);
    }
    EXPECT_GT(orders.size(), 1U) << "the order should change from time to time";
  }
}

TEST(RepeatedSamples, a_pair_is_made_once_and_is_the_same_whenever_it_comes) {
  const RoundOptions options{.pairs = 8, .times = 4};
  std::map<std::uint64_t, int> made;
  const auto make = [&](std::uint64_t index) -> Result<PairSample> {
    ++made[index];
    PairSample sample;
    sample.source.fracture.assign(1, static_cast<float>(index));
    return sample;
  };
  RepeatedSamples samples(make, options, 3);
  for (std::uint64_t i = 0; i < 96; ++i) {
    const auto sample = samples(i);
    ASSERT_TRUE(sample.ok());
    EXPECT_EQ(sample->source.fracture.at(0), static_cast<float>(repeated_index(i, options, 3)));
  }
  EXPECT_EQ(made.size(), 24U);
  for (const auto& [index, times] : made) EXPECT_EQ(times, 1) << index;
}

TEST(RepeatedSamples, begins_anywhere_with_the_same_pairs) {
  const RoundOptions options{.pairs = 8, .times = 2};
  const auto make = [](std::uint64_t index) -> Result<PairSample> {
    PairSample sample;
    sample.source.fracture.assign(1, static_cast<float>(index));
    return sample;
  };
  RepeatedSamples from_start(make, options, 3);
  RepeatedSamples resumed(make, options, 3);
  for (std::uint64_t i = 0; i < 40; ++i) {
    const auto first = from_start(i);
    if (i >= 13) {
      EXPECT_EQ(resumed(i)->source.fracture, first->source.fracture);
    }
  }
}

}  // namespace
}  // namespace pmtr
