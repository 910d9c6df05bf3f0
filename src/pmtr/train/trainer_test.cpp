// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/trainer.h"

#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "pmtr/core/file.h"
#include "pmtr/core/folder_lock.h"
#include "pmtr/train/checkpoint.h"
#include "pmtr/train/train_test_support.h"
#include "pmtr/train/training_log.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

using testing::HasSubstr;

TrainingRun small_run(const std::filesystem::path& folder) {
  TrainingRun run;
  run.options.steps = 8;
  run.options.batch = 2;
  run.options.warm_up = 2;
  run.options.log_every = 1;
  run.options.checkpoint_every = 2;
  run.options.average = 0.9;
  run.options.learning_rate = 1e-3;
  run.options.losses = LossOptions::reference();
  run.folder = folder;
  run.description = "test";
  run.sample = [](std::uint64_t index) -> Result<PairSample> { return test::random_pair(index, 130); };
  return run;
}

PmtrNetwork fresh_network() { return *PmtrNetwork::create(NetworkOptions::plain(), 5); }

/// Asks to stop once this many updates are done.
Listener stop_after(std::int64_t steps, std::int64_t& done) {
  Listener listener;
  listener.progress = [&done](std::string_view, std::int64_t step, std::int64_t) { done = step; };
  listener.cancelled = [&done, steps] { return done >= steps; };
  return listener;
}

void expect_equal_weights(const PmtrNetwork& a, const PmtrNetwork& b) {
  const auto& entries = a.parameters().entries();
  for (std::size_t i = 0; i < entries.size(); ++i)
    ASSERT_TRUE(torch::equal(entries[i].tensor, b.parameters().entries()[i].tensor)) << entries[i].name;
}

TEST(Train, a_run_cut_off_and_resumed_equals_one_that_was_not) {
  const test::TemporaryFolder folder;
  const auto group = lone_worker();
  PmtrNetwork whole = fresh_network();
  ASSERT_TRUE(train(whole, small_run(folder.path() / "whole"), *group, Threads::none(), {}).ok());

  PmtrNetwork first = fresh_network();
  TrainingRun run = small_run(folder.path() / "parts");
  std::int64_t done = 0;
  const auto stopped = train(first, run, *group, Threads::none(), stop_after(3, done));
  ASSERT_TRUE(stopped.ok());
  EXPECT_TRUE(stopped->stopped);
  EXPECT_EQ(stopped->steps, 3);
  // A process that is killed leaves a log that is ahead of its checkpoint, and half a line.
  std::ofstream(run.folder / "train.jsonl", std::ios::app)
      << "{\"kind\":\"train\",\"step\":4}\n{\"kind\":\"tr";

  PmtrNetwork second = fresh_network();
  run.resume = true;
  const auto rest = train(second, run, *group, Threads::none(), {});
  ASSERT_TRUE(rest.ok());
  EXPECT_EQ(rest->first_step, 3);
  EXPECT_EQ(rest->steps, 8);
  expect_equal_weights(whole, second);
  const auto bytes = [&](const char* run_name, const char* file) {
    return *read_file(folder.path() / run_name / file);
  };
  EXPECT_EQ(bytes("whole", "last.safetensors"), bytes("parts", "last.safetensors"));
  EXPECT_EQ(bytes("whole", "checkpoints/step_000000008.safetensors"),
            bytes("parts", "checkpoints/step_000000008.safetensors"));
  const auto log = TrainingLog::open(run.folder / "train.jsonl", 100);
  ASSERT_TRUE(log.ok());
  ASSERT_EQ(log->records().size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(log->records()[i].step, static_cast<std::int64_t>(i) + 1);
}

TEST(Train, a_run_whose_last_checkpoint_is_there_has_its_weights) {
  // As if it was killed between the two: the weights of the last update cannot be written.
  const test::TemporaryFolder folder;
  const auto group = lone_worker();
  PmtrNetwork whole = fresh_network();
  ASSERT_TRUE(train(whole, small_run(folder.path() / "whole"), *group, Threads::none(), {}).ok());
  TrainingRun run = small_run(folder.path() / "parts");
  const auto weights = run.folder / "last.safetensors";
  Listener listener;
  listener.progress = [&](std::string_view, std::int64_t done, std::int64_t total) {
    if (done != total) return;
    std::filesystem::remove_all(weights);
    std::filesystem::create_directory(weights);
  };
  PmtrNetwork first = fresh_network();
  ASSERT_FALSE(train(first, run, *group, Threads::none(), listener).ok());
  std::filesystem::remove_all(weights);
  run.resume = true;
  PmtrNetwork second = fresh_network();
  ASSERT_TRUE(train(second, run, *group, Threads::none(), {}).ok());
  const auto bytes = read_file(weights);
  ASSERT_TRUE(bytes.ok()) << bytes.error().text();
  EXPECT_EQ(*bytes, *read_file(folder.path() / "whole" / "last.safetensors"));
}

TEST(Train, of_two_runs_in_one_folder_the_second_is_refused) {
  const test::TemporaryFolder folder;
  const auto group = lone_worker();
  const auto other = FolderLock::take(folder.path());
  ASSERT_TRUE(other.ok());
  PmtrNetwork network = fresh_network();
  const auto refused = train(network, small_run(folder.path()), *group, Threads::none(), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().text(), HasSubstr("another run works in this folder"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Train, a_damaged_checkpoint_is_named_and_the_one_before_it_used) {
  const test::TemporaryFolder folder;
  const auto group = lone_worker();
  PmtrNetwork network = fresh_network();
  TrainingRun run = small_run(folder.path());
  ASSERT_TRUE(train(network, run, *group, Threads::none(), {}).ok());
  const auto newest = folder.path() / "checkpoints" / "step_000000008.safetensors";
  auto bytes = *read_file(newest);
  bytes[bytes.size() - 100] ^= std::byte{1};
  ASSERT_TRUE(write_file(newest, bytes).ok());
  std::string warning;
  Listener listener;
  listener.warning = [&](std::string_view text) { warning += text; };
  run.resume = true;
  PmtrNetwork again = fresh_network();
  const auto rest = train(again, run, *group, Threads::none(), listener);
  ASSERT_TRUE(rest.ok());
  EXPECT_EQ(rest->first_step, 6);
  EXPECT_THAT(warning, HasSubstr("step_000000008.safetensors"));
  EXPECT_THAT(warning, HasSubstr("damaged"));
  expect_equal_weights(network, again);
}

TEST(Train, keeps_the_newest_checkpoints_and_does_not_overwrite_another_run) {
  const test::TemporaryFolder folder;
  const auto group = lone_worker();
  PmtrNetwork network = fresh_network();
  const TrainingRun run = small_run(folder.path());
  ASSERT_TRUE(train(network, run, *group, Threads::none(), {}).ok());
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "checkpoints"))
    names.insert(entry.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"step_000000004.safetensors", "step_000000006.safetensors",
                                          "step_000000008.safetensors"}));
  const auto again = train(network, run, *group, Threads::none(), {});
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.error().message, HasSubstr("--resume"));
  TrainingRun other = run;
  other.resume = true;
  other.description = "other options";
  const auto mixed = train(network, other, *group, Threads::none(), {});
  ASSERT_FALSE(mixed.ok());
  EXPECT_EQ(mixed.error().cause, Cause::mismatch);
}

TEST(Train, a_checkpoint_that_cannot_be_written_ends_the_run_and_keeps_the_old_ones) {
  const test::TemporaryFolder folder;
  const auto group = lone_worker();
  PmtrNetwork network = fresh_network();
  TrainingRun run = small_run(folder.path());
  std::int64_t done = 0;
  ASSERT_TRUE(train(network, run, *group, Threads::none(), stop_after(2, done)).ok());
  // Where the next checkpoint should go stands a folder: writing fails as it does on a full disk.
  std::filesystem::create_directories(folder.path() / "checkpoints" / "step_000000004.safetensors" / "x");
  run.resume = true;
  const auto failed = train(network, run, *group, Threads::none(), {});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().cause, Cause::unwritable);
  EXPECT_THAT(failed.error().place.file, HasSubstr("step_000000004"));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder.path() / "checkpoints" / "step_000000002.safetensors"));
}

TEST(Train, validations_choose_the_best_weights_and_draw_the_page) {
  const test::TemporaryFolder folder;
  const auto group = lone_worker();
  PmtrNetwork network = fresh_network();
  TrainingRun run = small_run(folder.path());
  run.options.validate_every = 2;
  int asked = 0;
  std::vector<std::byte> best;
  run.validate = [&](const PmtrNetwork&) {
    if (asked == 2) best = *read_file(folder.path() / "best.safetensors");  // written by the second
    return ValidationScores{{{"recall", 0.1 * ++asked}}, asked == 2 ? 1.0 : 0.5};
  };
  const auto summary = train(network, run, *group, Threads::none(), {});
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(summary->best_score, 1.0);
  EXPECT_EQ(*read_file(folder.path() / "best.safetensors"), best);
  EXPECT_NE(*read_file(folder.path() / "last.safetensors"), best);
  const auto page = *read_file(folder.path() / "training.html");
  EXPECT_THAT(std::string(as_text(page)), HasSubstr("recall: 0.4"));
  EXPECT_THAT(std::string(as_text(page)), HasSubstr("8 updates"));
}

TEST(Train, an_error_of_the_data_ends_the_run_with_a_checkpoint) {
  const test::TemporaryFolder folder;
  const auto group = lone_worker();
  PmtrNetwork network = fresh_network();
  TrainingRun run = small_run(folder.path());
  const auto sample = run.sample;
  run.sample = [&](std::uint64_t index) -> Result<PairSample> {
    if (index == 6) return Error{Cause::malformed, "a broken piece", {"piece_0.ply", {}, {}}};
    return sample(index);
  };
  const auto failed = train(network, run, *group, Threads::none(), {});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().place.file, "piece_0.ply");
  EXPECT_TRUE(std::filesystem::is_regular_file(folder.path() / "checkpoints" / "step_000000003.safetensors"));
}

}  // namespace
}  // namespace pmtr
