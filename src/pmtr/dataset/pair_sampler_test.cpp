// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/pair_sampler.h"

#include <atomic>
#include <map>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/dataset/prefetcher.h"
#include "pmtr/dataset/recorded_source.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

/// Bars of 2 to 4 pieces.
class Bars : public FractureSource {
 public:
  explicit Bars(std::string kind) : kind_(std::move(kind)) {
    for (int n = 2; n <= 4; ++n)
      bars_.push_back(std::make_shared<const BrokenObject>(make_broken_object(test::cut_bar(n, 2))));
  }
  std::string kind() const override { return kind_; }
  Result<std::shared_ptr<const BrokenObject>> draw(Random& random) const override {
    return bars_[random.below(bars_.size())];
  }

 private:
  std::string kind_;
  std::vector<std::shared_ptr<const BrokenObject>> bars_;
};

PairOptions few_points() {
  PairOptions options;
  options.points_per_object = 200;
  options.min_points = 10;
  return options;
}

PairSampler bars_sampler(std::uint64_t seed = 1) {
  return *PairSampler::create({{std::make_shared<Bars>("bars"), 1.0}}, few_points(), seed);
}

TEST(PairSampler, APairDependsOnSeedAndIndexOnly) {
  const PairSampler sampler = bars_sampler();
  const auto first = sampler.make_pair(17);
  for (std::uint64_t i = 0; i < 5; ++i) (void)sampler.make_pair(i);
  const auto again = bars_sampler().make_pair(17);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->source.cloud.points, again->source.cloud.points);
  EXPECT_EQ(first->target.mating, again->target.mating);
  EXPECT_EQ(first->index, 17U);
  EXPECT_NE(first->source.cloud.points, sampler.make_pair(18)->source.cloud.points);
  EXPECT_NE(first->source.cloud.points, bars_sampler(2).make_pair(17)->source.cloud.points);
}

TEST(PairSampler, SourcesComeInTheirProportions) {
  const auto sampler = PairSampler::create({{std::make_shared<Bars>("a"), 3.0},
                                            {std::make_shared<Bars>("never"), 0.0},
                                            {std::make_shared<Bars>("b"), 1.0}},
                                           few_points(), 4);
  ASSERT_TRUE(sampler.ok());
  std::map<std::string, int> count;
  for (std::uint64_t i = 0; i < 400; ++i) ++count[sampler->make_pair(i)->kind];
  EXPECT_NEAR(count["a"], 300, 30);
  EXPECT_EQ(count["never"], 0);
}

TEST(PairSampler, BadInput) {
  EXPECT_EQ(PairSampler::create({}, {}, 0).error().cause, Cause::invalid_option);
  EXPECT_EQ(PairSampler::create({{std::make_shared<Bars>("a"), -1.0}}, {}, 0).error().cause,
            Cause::invalid_option);
  PairOptions options = few_points();
  options.least_overlap = 0.9;
  const auto sampler = PairSampler::create({{std::make_shared<Bars>("a"), 1.0}}, options, 0);
  ASSERT_TRUE(sampler.ok());
  EXPECT_EQ(sampler->make_pair(0).error().cause, Cause::empty);
}

TEST(RecordedSource, ObjectsAreEquallyLikelyHoweverOftenTheyBroke) {
  const test::TemporaryFolder folder;
  const auto pieces = test::cut_bar(2, 1);
  const auto write = [&](const std::string& fracture) {
    std::filesystem::create_directories(folder.path() / fracture);
    for (std::size_t p = 0; p < 2; ++p) {
      ASSERT_TRUE(
          write_mesh(folder.path() / fracture / ("piece_" + std::to_string(p) + ".ply"), pieces[p]).ok());
    }
  };
  write("once/mode_0");
  for (int i = 0; i < 9; ++i) write("often/mode_" + std::to_string(i));
  const RecordedSource source(*list_dataset(folder.path(), {}), ObjectCache(""));
  Random random(2);
  std::map<std::string, int> drawn;
  std::set<std::string> names;
  for (int i = 0; i < 300; ++i) {
    const auto object = source.draw(random);
    ASSERT_TRUE(object.ok());
    ++drawn[(*object)->object];
    names.insert((*object)->name());
  }
  EXPECT_NEAR(drawn["once"], 150, 30);
  EXPECT_EQ(names.size(), 10U);
  const RecordedSource strict(*list_dataset(folder.path(), {}), ObjectCache(""), 0.6);
  EXPECT_EQ(strict.draw(random).error().cause, Cause::empty);
}

TEST(Prefetcher, GivesPairsInOrderAndTheSameWithAnyNumberOfThreads) {
  const PairSampler sampler = bars_sampler();
  const auto make = [&](std::uint64_t index) { return sampler.make_pair(index); };
  Prefetcher<Result<TrainingPair>> one(make, 5, 1, 2);
  Prefetcher<Result<TrainingPair>> three(make, 5, 3, 7);
  for (std::uint64_t i = 5; i < 40; ++i) {
    const auto a = one.next();
    const auto b = three.next();
    EXPECT_EQ(a->index, i);
    EXPECT_EQ(a->source.cloud.points, b->source.cloud.points);
  }
}

TEST(Prefetcher, WorksNoFurtherAheadThanAsked) {
  std::atomic<std::uint64_t> most = 0;
  {
    Prefetcher<int> numbers(
        [&](std::uint64_t index) {
          std::uint64_t seen = most;
          while (seen < index && !most.compare_exchange_weak(seen, index)) {
          }
          return static_cast<int>(index);
        },
        0, 2, 4);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(numbers.next(), i);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LE(most, 13U);
}

TEST(Prefetcher, ExceptionsComeInTurnAndStoppingIsClean) {
  Prefetcher<int> numbers(
      [](std::uint64_t index) {
        if (index == 2) throw std::runtime_error("two");
        return static_cast<int>(index);
      },
      0, 2, 3);
  EXPECT_EQ(numbers.next(), 0);
  EXPECT_EQ(numbers.next(), 1);
  EXPECT_THROW(numbers.next(), std::runtime_error);
  EXPECT_EQ(numbers.next(), 3);
}

}  // namespace
}  // namespace pmtr
