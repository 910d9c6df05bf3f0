// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gtest/gtest.h>

#include "pmtr/dataset/pair_sampler.h"
#include "pmtr/dataset/refractured_source.h"
#include "support/data_folder.h"

namespace pmtr {
namespace {

TEST(RefracturedSource, DrawsTheSameObjectForTheSameNumbersWithExactMates) {
  PMTR_REQUIRE_DATA();
  const auto source = RefracturedSource::open(test::cells_folder(), {}, {});
  ASSERT_TRUE(source.ok()) << source.error().text();
  EXPECT_EQ((*source)->size(), 162u);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Random first(seed), second(seed);
    const auto a = (*source)->draw(first);
    const auto b = (*source)->draw(second);
    ASSERT_TRUE(a.ok()) << a.error().text();
    ASSERT_TRUE(b.ok());
    EXPECT_EQ((*a)->name(), (*b)->name());
    ASSERT_EQ((*a)->pieces.size(), (*b)->pieces.size());
    EXPECT_EQ((*a)->pieces[0].faces, (*b)->pieces[0].faces);
    EXPECT_GE((*a)->pieces.size(), 2u);
    // Connected: at least as many mating pairs as a tree has edges.
    EXPECT_GE((*a)->mating.pairs.size(), (*a)->pieces.size() - 1);
  }
}

TEST(RefracturedSource, FeedsTheSampler) {
  PMTR_REQUIRE_DATA();
  const auto source = RefracturedSource::open(test::cells_folder(), {}, {});
  ASSERT_TRUE(source.ok());
  const auto sampler = PairSampler::create({{*source, 1.0}}, PairOptions{}, 7);
  ASSERT_TRUE(sampler.ok());
  for (std::uint64_t i = 0; i < 5; ++i) {
    const auto pair = sampler->make_pair(i);
    ASSERT_TRUE(pair.ok()) << pair.error().text();
    EXPECT_EQ(pair->kind, "refractured");
    EXPECT_GE(pair->source.cloud.points.size(), 256u);
  }
}

TEST(RefracturedSource, AFolderWithoutCellsIsAnError) {
  EXPECT_FALSE(RefracturedSource::open("no/such/folder", {}, {}).ok());
}

}  // namespace
}  // namespace pmtr
