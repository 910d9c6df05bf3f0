// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// `pmtr train` from outside: killed, resumed, in several processes, and with bad input.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/weights/safetensors.h"
#include "support/run_program.h"

namespace pmtr::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

class TrainCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (PMTR_HAS_NETWORK == 0) GTEST_SKIP() << "built without the network";
    for (const auto& [name, count] :
         {std::pair("everyday/Bar/x/mode_0", 2), std::pair("everyday/Bar/y/mode_0", 3)}) {
      fs::create_directories(data_ / name);
      const auto pieces = cut_bar(count, 2);
      for (std::size_t p = 0; p < pieces.size(); ++p)
        ASSERT_TRUE(write_mesh(data_ / name / ("piece_" + std::to_string(p) + ".ply"), pieces[p]).ok());
    }
    config(
        "matching_from = 0\ncontrast = false\ncoarse = 1.0\nfine = 1.0\northonormal = 10.0\nzero = 10.0\n");
  }
  /// A network that reads points alone, and pairs as they are: quick.
  static constexpr std::string_view basis =
      "[network]\nsurface_input = false\nfracture_head = false\nfracture_context = false\n"
      "channel_norm = false\nmatcher_residual = false\ncentred_features = false\n"
      "kernel_radius = 0.125\nkernel_sigma = 0.1\ncount_positive_neighbours = true\n"
      "[train]\nsteps = 24\nbatch = 1\nlearning_rate = 5e-4\naverage = 0.0\nlog_every = 1\n"
      "checkpoint_every = 12\nvalidate_every = 0\n"
      "[data]\npoints_per_object = 300\ndense_points_per_object = 0\nmin_points = 20\n"
      "noise = 0.0\nvary_noise = false\nscale_jitter = 0.0\nvalidation_one_in = 0\n"
      "[losses]\n";
  /// The first key of `losses` is in this line of the file.
  static std::string losses_line() {
    return "config.toml:" + std::to_string(1 + std::count(basis.begin(), basis.end(), '\n'));
  }
  void config(const std::string& losses) const {
    ASSERT_TRUE(write_file(config_, std::string(basis) + losses).ok());
  }
  std::string line(const fs::path& out, const std::string& options = "--threads 1") const {
    return quoted(PMTR_PROGRAM) + " train --data " + quoted(data_) + " --config " + quoted(config_) +
           " --cache " + quoted(folder_ / "cache") + " -o " + quoted(out) + " " + options;
  }
  static std::string bytes(const fs::path& path) {
    const auto content = read_file(path);
    return content.ok() ? std::string(as_text(*content)) : "cannot read " + path.string();
  }
  /// Starts the command, waits for a file, runs `act` with $pid set to the process, waits for its end.
  static ProgramResult interrupt(const std::string& command, const fs::path& awaited,
                                 const std::string& act) {
    return run_program(command + " & pid=$!; n=0; while [ ! -e " + quoted(awaited) +
                       " ] && [ $n -lt 6000 ] && kill -0 $pid; do sleep 0.02; n=$((n+1)); done; " + act +
                       "; wait $pid");
  }

  TemporaryFolder folder_;
  fs::path data_ = folder_ / "data";
  fs::path config_ = folder_ / "config.toml";
};

TEST_F(TrainCommand, KilledAndResumedEqualsUninterruptedBitForBit) {
  const fs::path whole = folder_ / "whole";
  const fs::path parts = folder_ / "parts";
  const auto first = run_program(line(whole));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  interrupt(line(parts), parts / "checkpoints/step_000000012.safetensors", "kill -KILL $pid");
  ASSERT_FALSE(fs::exists(parts / "checkpoints/step_000000024.safetensors")) << "it was not killed in time";
  ASSERT_NE(bytes(parts / "last.safetensors"), bytes(whole / "last.safetensors"));
  EXPECT_EQ(run_program(line(parts)).exit_code, 3) << "a run is there: not without --resume";
  const auto resumed = run_program(line(parts, "--threads 1 --resume"));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("going on after 12 updates"));
  EXPECT_EQ(bytes(parts / "last.safetensors"), bytes(whole / "last.safetensors"));
  EXPECT_EQ(bytes(parts / "checkpoints/step_000000024.safetensors"),
            bytes(whole / "checkpoints/step_000000024.safetensors"));
}

TEST_F(TrainCommand, CtrlCLeavesACheckpointAndTheRunGoesOn) {
  const fs::path out = folder_ / "out";
  // A shell starts background commands deaf to Ctrl-C.
  const auto stopped = interrupt("env --default-signal=INT " + line(out),
                                 out / "checkpoints/step_000000012.safetensors", "kill -INT $pid");
  EXPECT_NE(stopped.exit_code, 0);
  EXPECT_THAT(stopped.err, HasSubstr("stopped after"));
  const auto resumed = run_program(line(out, "--threads 1 --resume"));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

TEST_F(TrainCommand, TwoWorkersEqualOneWithTheDoubledBatch) {
  const fs::path two = folder_ / "two";
  const fs::path one = folder_ / "one";
  const fs::path begun = folder_ / "begun";
  ASSERT_EQ(run_program(line(begun, "--threads 1 --steps 1")).exit_code, 0);
  const auto pair = run_program(line(two, "--threads 1 --steps 10 --workers 2"));
  ASSERT_EQ(pair.exit_code, 0) << pair.err;
  std::string doubled = bytes(config_);
  doubled.replace(doubled.find("batch = 1"), 9, "batch = 2");
  ASSERT_TRUE(write_file(config_, doubled).ok());
  ASSERT_EQ(run_program(line(one, "--threads 1 --steps 10")).exit_code, 0);
  const auto a = read_weights(two / "last.safetensors");
  const auto b = read_weights(one / "last.safetensors");
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_EQ(a->arrays.size(), b->arrays.size());
  const auto start = read_weights(begun / "last.safetensors");
  ASSERT_TRUE(start.ok());
  double difference = 0.0, movement = 0.0;
  for (const NamedArray& array : a->arrays) {
    const NamedArray* other = b->find(array.name);
    const NamedArray* before = start->find(array.name);
    ASSERT_TRUE(other != nullptr && before != nullptr) << array.name;
    const auto x = array.to_float(), y = other->to_float(), z = before->to_float();
    ASSERT_TRUE(x.size() == y.size() && x.size() == z.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      difference += std::pow(static_cast<double>(x[i]) - y[i], 2);
      movement += std::pow(static_cast<double>(x[i]) - z[i], 2);
    }
  }
  // Adam divides by the size of the gradient, so where a gradient is nothing but rounding the weights go
  // their own ways; they are few.
  EXPECT_LT(std::sqrt(difference / movement), 0.02);
}

TEST_F(TrainCommand, ALostWorkerEndsTheRunWhichCanGoOn) {
  std::string longer = bytes(config_);
  longer.replace(longer.find("steps = 24"), 10, "steps = 36");
  ASSERT_TRUE(write_file(config_, longer).ok());
  const fs::path out = folder_ / "out";
  const fs::path killed = folder_ / "killed";
  const auto lost =
      interrupt(line(out, "--threads 1 --workers 2"), out / "checkpoints/step_000000012.safetensors",
                "kill -KILL $(pgrep -P $pid | tail -n 1); touch " + quoted(killed));
  const std::chrono::duration<double> took = fs::file_time_type::clock::now() - fs::last_write_time(killed);
  EXPECT_NE(lost.exit_code, 0);
  EXPECT_LT(took.count(), 60.0) << "the others wait for a lost worker";
  EXPECT_THAT(lost.err, HasSubstr("worker"));
  const auto resumed = run_program(line(out, "--threads 1 --workers 2 --resume"));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(fs::exists(out / "checkpoints/step_000000036.safetensors"));
}

TEST_F(TrainCommand, TheScriptForSlurmTrainsAndGoesOn) {
  // What Slurm would do, in little: two tasks on this machine.
  const fs::path programs = folder_ / "bin";
  fs::create_directories(programs);
  ASSERT_TRUE(write_file(programs / "scontrol", "#!/bin/bash\necho 127.0.0.1\n").ok());
  ASSERT_TRUE(write_file(programs / "srun",
                         "#!/bin/bash\nexport SLURM_NTASKS=2\nSLURM_PROCID=1 \"$@\" & other=$!\n"
                         "SLURM_PROCID=0 \"$@\"; first=$?\nwait $other && exit $first\n")
                  .ok());
  for (const char* name : {"scontrol", "srun"})
    fs::permissions(programs / name, fs::perms::owner_all, fs::perm_options::add);
  const fs::path out = folder_ / "it's out";
  const fs::path script = folder_ / "train.sh";
  const std::string written = line(out, "--threads 1 --steps 4");
  const std::string quoted_out = "\"" + out.string() + "\"";
  std::string command = written;
  command.replace(command.find(quoted(out)), quoted(out).size(), quoted_out);
  const auto printed = run_program(command + " --slurm 2 > " + quoted(script));
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_THAT(bytes(script), HasSubstr("#SBATCH --nodes=2\n"));
  EXPECT_FALSE(fs::exists(out));
  const std::string job = "PATH=" + quoted(programs) + ":\"$PATH\" SLURM_JOB_ID=77 bash " + quoted(script);
  const auto trained = run_program(job);
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(fs::exists(out / "last.safetensors"));
  const auto again = run_program(job);  // as a requeued job does: --resume finds nothing left to do
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

TEST_F(TrainCommand, BadInputIsNamedAndNothingIsLost) {
  fs::create_directories(folder_ / "empty");
  const auto none = run_program(quoted(PMTR_PROGRAM) + " train --data " + quoted(folder_ / "empty") + " -o " +
                                quoted(folder_ / "out"));
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("empty"));

  const fs::path split = folder_ / "split.txt";
  ASSERT_TRUE(write_file(split, std::string_view("everyday/Bar/x\neveryday/Bar/z\n")).ok());
  const auto missing = run_program(line(folder_ / "out", "--threads 1 --split " + quoted(split)));
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("everyday/Bar/z is not there"));
  const auto skipped =
      run_program(line(folder_ / "skipped", "--threads 1 --steps 1 --skip-missing --split " + quoted(split)));
  EXPECT_EQ(skipped.exit_code, 0) << skipped.err;
  EXPECT_THAT(skipped.err, HasSubstr("everyday/Bar/z is not there"));

  config("corse = 1.0\n");
  const auto unknown = run_program(line(folder_ / "out"));
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr(losses_line()));
  EXPECT_THAT(unknown.err, HasSubstr("coarse"));
  config("coarse = \"much\"\n");
  const auto wrong_type = run_program(line(folder_ / "out"));
  EXPECT_EQ(wrong_type.exit_code, 3);
  EXPECT_THAT(wrong_type.err, HasSubstr(losses_line()));
  EXPECT_FALSE(fs::exists(folder_ / "out/checkpoints"));
}

TEST_F(TrainCommand, AFullDiskKeepsTheOldCheckpoint) {
  const fs::path out = folder_ / "out";
  interrupt(line(out), out / "checkpoints/step_000000012.safetensors", "kill -KILL $pid");
  const std::string before = bytes(out / "checkpoints/step_000000012.safetensors");
  // No file may grow beyond 12 MB (sh counts in blocks of 512 bytes): the weights fit (7.5 MB), and the write
  // of the checkpoint, which has Adam's state too, fails in the middle, as on a full disk.
  const auto full =
      run_program("( trap '' XFSZ; ulimit -f 24000; " + line(out, "--threads 1 --resume") + " )");
  EXPECT_NE(full.exit_code, 0);
  EXPECT_THAT(full.err, HasSubstr("step_000000024"));
  EXPECT_EQ(bytes(out / "checkpoints/step_000000012.safetensors"), before);
  const auto resumed = run_program(line(out, "--threads 1 --resume"));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

}  // namespace
}  // namespace pmtr::test
