// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Training pairs from real fractures.
#include <chrono>
#include <cstdio>

#include <gtest/gtest.h>

#include "pmtr/dataset/pair_sampler.h"
#include "pmtr/dataset/prefetcher.h"
#include "pmtr/dataset/recorded_source.h"
#include "pmtr/mesh/triangle_tree.h"
#include "support/data_folder.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

PairSampler sampler_of(const std::filesystem::path& cache) {
  auto index = list_dataset(test::fractures_folder(), {});
  EXPECT_TRUE(index.ok());
  return *PairSampler::create(
      {{std::make_shared<RecordedSource>(*std::move(index), ObjectCache(cache)), 1.0}}, {}, 3);
}

TEST(TrainingPairs, MatingPointsLieOnTheOtherPieceInTheTruePose) {
  PMTR_REQUIRE_DATA();
  const auto index = list_dataset(test::fractures_folder(), {});
  ASSERT_TRUE(index.ok()) << index.error().text();
  const PairSampler sampler = sampler_of("");
  int all_mating = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto pair = sampler.make_pair(i);
    ASSERT_TRUE(pair.ok()) << pair.error().text();
    EXPECT_GE(pair->source.cloud.points.size(), 256U);
    EXPECT_GE(pair->target.cloud.points.size(), 256U);
    // In the true pose a mating point of the target lies on the source's surface, seen from the other side.
    BrokenObject object;
    for (const ObjectFiles& files : index->objects) {
      for (const FractureFiles& fracture : files.fractures) {
        if (files.name + "/" + fracture.name == pair->object)
          object = *read_broken_object(*index, files, fracture);
      }
    }
    const TriangleTree source(object.pieces.at(static_cast<std::size_t>(pair->source.piece)));
    const Rigid3 object_from_target = pair->source.object_from_fragment * pair->source_from_target;
    int mating = 0;
    for (std::size_t t = 0; t < pair->target.mating.size(); ++t) {
      if (pair->target.mating[t] == 0) continue;
      ++mating;
      const Eigen::Vector3d point =
          object_from_target * pair->target.cloud.points[t].cast<double>() / pair->scale;
      const Eigen::Vector3d normal =
          object_from_target.rotation * pair->target.cloud.normals[t].cast<double>();
      EXPECT_LT(source.distance_to_facing(point, normal, -0.999, 0.1), 1e-5) << pair->object;
    }
    all_mating += mating;
    const double share = mating / static_cast<double>(pair->target.mating.size());
    EXPECT_NEAR(share, pair->target.overlap, 0.02 + 0.2 * pair->target.overlap) << pair->object;
  }
  EXPECT_GT(all_mating, 500);
}

// Cold start and pairs per second; run alone, see docs/dataset.md.
TEST(TrainingPairs, DISABLED_time) {
  PMTR_REQUIRE_DATA();
  const test::TemporaryFolder folder;
  const auto begin = Clock::now();
  const auto index = list_dataset(test::fractures_folder(), {});
  std::printf("listing            %6.2f s\n", seconds_since(begin));
  {
    const PairSampler sampler = sampler_of("");
    const auto first = Clock::now();
    (void)sampler.make_pair(0);
    std::printf("first pair, no cache %6.3f s after the listing\n", seconds_since(first));
    const auto many = Clock::now();
    for (std::uint64_t i = 0; i < 200; ++i) ASSERT_TRUE(sampler.make_pair(i).ok());
    std::printf("without cache      %6.1f pairs/s on one core\n", 200 / seconds_since(many));
  }
  const auto building = Clock::now();
  Threads threads(2);
  ASSERT_TRUE(ObjectCache(folder.path()).build(*index, threads).ok());
  std::printf("cache made         %6.2f s, 2 threads\n", seconds_since(building));
  const auto checking = Clock::now();
  ASSERT_EQ(*ObjectCache(folder.path()).build(*index, threads), 0);
  std::printf("cache checked      %6.2f s\n", seconds_since(checking));
  const PairSampler sampler = sampler_of(folder.path());
  const auto many = Clock::now();
  for (std::uint64_t i = 0; i < 400; ++i) ASSERT_TRUE(sampler.make_pair(i).ok());
  std::printf("with cache         %6.1f pairs/s on one core\n", 400 / seconds_since(many));
  Prefetcher<Result<TrainingPair>> prefetcher([&](std::uint64_t i) { return sampler.make_pair(i); }, 0, 2,
                                              16);
  const auto aside = Clock::now();
  for (std::uint64_t i = 0; i < 400; ++i) ASSERT_TRUE(prefetcher.next().ok());
  std::printf("prefetched         %6.1f pairs/s on two threads\n", 400 / seconds_since(aside));
}

}  // namespace
}  // namespace pmtr
