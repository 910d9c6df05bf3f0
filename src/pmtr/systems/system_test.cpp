// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "pmtr/core/file.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/systems/rotations.h"
#include "pmtr/systems/systems_test_support.h"
#include "pmtr/systems/train_system.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

using testing::HasSubstr;

class EverySystem : public testing::TestWithParam<const char*> {
 protected:
  bool pairs() const { return (*find_system(GetParam()))->most_parts == 2; }
  /// NSM is wide: fewer points make it as quick as the others.
  int points() const { return pairs() ? 8 : 24; }
};

INSTANTIATE_TEST_SUITE_P(Systems, EverySystem, test::every_system(), test::system_word);

// By hand. PointNet: weights 3*64 + 64*64 + 64*64 + 64*128 + 128*128 = 32960, norms 2*(3*64 + 2*128) = 896.
constexpr std::int64_t point_net = 32960 + 896;
// in*256 + 256 + 256*128 + 128, then 128*4 + 4 and 128*3 + 3.
constexpr std::int64_t pose_head(std::int64_t in) { return 256 * in + 256 + 32768 + 128 + 516 + 387; }
constexpr std::int64_t gru(std::int64_t in, std::int64_t hidden) {
  return 3 * hidden * in + 3 * hidden * hidden + 6 * hidden;
}
// Features, directions, norm.
constexpr std::int64_t vector_layer(std::int64_t in, std::int64_t out) { return 2 * in * out + 2 * out; }

TEST(Systems, have_the_parameters_counted_by_hand) {
  const auto count = [](const char* name) { return System::create(name, 0)->parameters().learnt_count(); };
  EXPECT_EQ(count("global"), 2 * point_net + pose_head(256));
  // Both directions of the encoder, the decoder, and 528 -> 256 -> 128.
  EXPECT_EQ(count("lstm"), point_net + 2 * gru(128, 256) + gru(128, 528) + (528 * 256 + 256) +
                               (256 * 128 + 128) + pose_head(128));
  // Of each round: 256 -> 512 -> 512 -> 128 with norms, for edges and for nodes; a head on node and pose.
  const std::int64_t messages = 256 * 512 + 512 * 512 + 512 * 128 + 2 * (512 + 512 + 128);
  const std::int64_t pose_code = 7 * 256 + 256 + 256 * 128 + 128;
  const std::int64_t relation = 256 * 256 + 256 + 256 * 512 + 512 + 512 + 1;
  EXPECT_EQ(count("dgl"), point_net + pose_code + relation + 3 * (2 * messages + pose_head(135)));
  const std::int64_t edges = 6 * 64 + 64 * 64 + 64 * 128 + 128 * 256 + 2 * (64 + 64 + 128 + 256);
  const std::int64_t attention = 4 * (512 * 512 + 512);
  const std::int64_t forward = 512 * 1024 + 1024 + 1024 * 512 + 512;
  const std::int64_t regressor = 1024 * 256 + 256 * 128 + 2 * (256 + 128) + 516 + 387;
  EXPECT_EQ(count("nsm"),
            edges + (512 * 512 + 2 * 512) + 3 * attention + 2 * forward + 7 * 2 * 512 + regressor);
  const std::int64_t encoder =
      vector_layer(2, 21) + 2 * vector_layer(21, 21) + 2 * vector_layer(42, 21) + (63 * 512 + 63 + 2 * 512);
  const std::int64_t head = 3072 * 512 + 512 * 256 + 2 * (512 + 256);
  const std::int64_t branches = 2 * (256 * 128 + 128) + (128 * 6 + 6) + (128 * 3 + 3);
  EXPECT_EQ(count("wu"), encoder + head + branches);
  EXPECT_EQ(count("wu-correlated"), encoder + head + branches + vector_layer(1024, 512) +
                                        vector_layer(512, 256) + 256 * 3 + (3 * 1024 + 1024));
}

TEST(Systems, an_unknown_name_lists_those_there_are) {
  const auto system = System::create("shards", 0);
  ASSERT_FALSE(system.ok());
  EXPECT_EQ(system.error().cause, Cause::invalid_option);
  EXPECT_THAT(system.error().message, HasSubstr("global, lstm, dgl, nsm"));
}

TEST(Systems, say_how_many_parts_they_take) {
  const System nsm = *System::create("nsm", 0);
  EXPECT_TRUE(nsm.accepts(2).ok());
  ASSERT_FALSE(nsm.accepts(3).ok());
  EXPECT_EQ(nsm.accepts(3).error().cause, Cause::unsupported);
  EXPECT_THAT(nsm.accepts(3).error().message, HasSubstr("two parts only"));
  const System global = *System::create("global", 0);
  EXPECT_TRUE(global.accepts(20).ok());
  EXPECT_FALSE(global.accepts(21).ok());
  EXPECT_FALSE(global.accepts(1).ok());
}

TEST(Systems, weights_of_one_are_not_taken_for_another) {
  const WeightFile weights = System::create("global", 3)->save();
  EXPECT_TRUE(System::load("global", weights, "w").ok());
  const auto other = System::load("dgl", weights, "w");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().cause, Cause::mismatch);
  EXPECT_THAT(other.error().message, HasSubstr("'global', not of 'dgl'"));
  const auto own = PmtrNetwork::load(weights, "w");
  ASSERT_FALSE(own.ok());
  EXPECT_EQ(own.error().cause, Cause::mismatch);
  EXPECT_THAT(own.error().message, HasSubstr("--system global"));
  const WeightFile network = PmtrNetwork::create(NetworkOptions::plain(), 0)->save();
  const auto mistaken = System::load("global", network, "w");
  ASSERT_FALSE(mistaken.ok());
  EXPECT_THAT(mistaken.error().message, HasSubstr("without --system"));
}

TEST_P(EverySystem, poses_are_rigid_motions_and_do_not_depend_on_other_objects) {
  const System system = *System::create(GetParam(), 2);
  const auto objects = test::two_bars(points(), pairs() ? std::vector<int>{2, 2} : std::vector<int>{2, 5});
  const torch::NoGradGuard no_grad;
  const SystemPass pass{Execution{&Threads::none()}};
  const auto together = motions_of(system.model().forward(stack_objects(objects), pass).back());
  const auto alone = motions_of(system.model().forward(stack_objects({&objects[1], 1}), pass).back());
  ASSERT_EQ(together.size(), alone.size() + 2);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_LT((together[i + 2].matrix() - alone[i].matrix()).norm(), 1e-4);
    EXPECT_NEAR(alone[i].rotation.determinant(), 1.0, 1e-9);
    EXPECT_LT((alone[i].rotation * alone[i].rotation.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-9);
  }
}

// The others take minutes: tests/data/network_systems_slow_test.cpp.
TEST(Systems, nsm_and_wu_learn_ten_objects_by_heart) {
  for (const auto& [name, points] : {std::pair("nsm", 8), std::pair("wu", 24)}) {
    const auto learnt = test::learn_by_heart(name, points, 400);
    EXPECT_LT(learnt.least, 0.1 * learnt.first) << name;
  }
}

TEST_P(EverySystem, the_same_batch_gives_the_same_bits_with_any_number_of_threads) {
  const auto objects = test::two_bars(points(), pairs() ? std::vector<int>{2, 2} : std::vector<int>{3, 2});
  const System system = *System::create(GetParam(), 1);
  const LearningStep once = system_gradient(system, objects, Random(5), Threads::none());
  Threads threads(2);
  const LearningStep again = system_gradient(system, objects, Random(5), threads);
  EXPECT_EQ(once.losses, again.losses);
  for (std::size_t i = 0; i < once.gradients.size(); ++i) {
    ASSERT_TRUE(once.gradients[i].defined());
    EXPECT_TRUE(torch::equal(once.gradients[i], again.gradients[i]));
  }
}

/// A run on a few bars.
struct SmallRun {
  System system;
  RunSettings settings;
  MakeSample<ObjectSample> make;
  std::vector<ObjectSample> held_out;

  SmallRun(const char* name, std::filesystem::path folder, int points, bool pairs)
      : system(*System::create(name, 5)), held_out(test::two_bars(points, {2})) {
    settings.options = system_config(system.info()).train;
    settings.options.steps = 4;
    settings.options.batch = 2;
    settings.options.log_every = 1;
    settings.options.checkpoint_every = 100;  // and where it ends
    settings.options.validate_every = 2;
    settings.folder = std::move(folder);
    make = [points, pairs](std::uint64_t index) -> Result<ObjectSample> {
      return test::two_bars(points, {pairs ? 2 : 2 + static_cast<int>(index % 2)})[0];
    };
  }
  Result<RunSummary> train(const Listener& listener) {
    const auto group = lone_worker();
    SystemLearner learner(system, settings.options, make, 1, held_out, Threads::none());
    return run_learner(learner, settings, *group, Threads::none(), listener);
  }
};

TEST_P(EverySystem, a_run_cut_off_and_resumed_equals_one_that_was_not) {
  const test::TemporaryFolder folder;
  SmallRun whole(GetParam(), folder.path() / "whole", points(), pairs());
  ASSERT_TRUE(whole.train({}).ok());
  std::int64_t done = 0;
  Listener stopping;
  stopping.progress = [&](std::string_view, std::int64_t step, std::int64_t) { done = step; };
  stopping.cancelled = [&] { return done >= 2; };
  SmallRun first(GetParam(), folder.path() / "parts", points(), pairs());
  const auto stopped = first.train(stopping);
  ASSERT_TRUE(stopped.ok());
  EXPECT_EQ(stopped->steps, 2);
  SmallRun second(GetParam(), folder.path() / "parts", points(), pairs());
  second.settings.resume = true;
  const auto rest = second.train({});
  ASSERT_TRUE(rest.ok());
  EXPECT_EQ(rest->first_step, 2);
  for (const char* file : {"last.safetensors", "best.safetensors", "checkpoints/step_000000004.safetensors"})
    EXPECT_EQ(*read_file(folder.path() / "whole" / file), *read_file(folder.path() / "parts" / file)) << file;
  const auto read = read_weights(folder.path() / "whole" / "last.safetensors");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(System::load(GetParam(), *read, "last").ok());
}

TEST(SystemRun, an_object_of_too_many_parts_is_named) {
  const test::TemporaryFolder folder;
  SmallRun run("nsm", folder.path(), 8, /*pairs=*/false);
  const auto failed = run.train({});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().cause, Cause::unsupported);
  EXPECT_THAT(failed.error().message, HasSubstr("two parts only"));
}

TEST(SystemRun, norms_follow_the_batches_and_are_part_of_the_weights) {
  const System system = *System::create("global", 1);
  const auto objects = test::two_bars(16);
  const torch::Tensor mean = *system.parameters().find("part.0.norm.running_mean");
  const torch::Tensor before = mean.clone();
  system_gradient(system, objects, Random(1), Threads::none());
  EXPECT_FALSE(torch::equal(mean, before));
  const System again = *System::load("global", system.save(), "w");
  EXPECT_TRUE(torch::equal(*again.parameters().find("part.0.norm.running_mean"), mean));
}

}  // namespace
}  // namespace pmtr
