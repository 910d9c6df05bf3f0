// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// `pmtr study` from outside: killed and resumed, with a variant that fails, in shards.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "support/run_program.h"

namespace pmtr::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::string quoted_path(const fs::path& path) { return "'" + path.string() + "'"; }

class StudyCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (PMTR_HAS_NETWORK == 0) GTEST_SKIP() << "built without the network";
    for (const char* name : {"x", "y", "z"}) {
      const fs::path folder = data_ / "everyday/Bar" / name / "mode_0";
      fs::create_directories(folder);
      const auto pieces = cut_bar(2, 2);
      for (std::size_t p = 0; p < pieces.size(); ++p)
        ASSERT_TRUE(write_mesh(folder / ("piece_" + std::to_string(p) + ".ply"), pieces[p]).ok());
    }
    ASSERT_TRUE(write_file(folder_ / "validation.txt", std::string_view("everyday/Bar/z\n")).ok());
    ASSERT_TRUE(
        write_file(folder_ / "base.toml",
                   std::string_view(
                       "[network]\nsurface_input = false\nfracture_head = false\n"
                       "fracture_context = false\nkernel_radius = 0.125\nkernel_sigma = 0.1\n"
                       "[train]\nbatch = 1\nlog_every = 1\ncheckpoint_every = 4\naverage = 0.0\n"
                       "[losses]\nmatching_from = 0\n"
                       "[data]\npoints_per_object = 300\ndense_points_per_object = 600\nmin_points = 20\n"
                       "noise = 0.0\nvary_noise = false\nscale_jitter = 0.0\n"))
            .ok());
  }
  void study(const std::string& more) const {
    ASSERT_TRUE(write_file(study_,
                           "title = \"Test\"\nconfig = \"base.toml\"\nupdates = 8\n"
                           "validate_every = 4\nvalidation_pairs = 2\ncolumns = [\"coarse_inliers\"]\n" +
                               more)
                    .ok());
  }
  std::string line(const fs::path& out, const std::string& options = "") const {
    return quoted_path(PMTR_PROGRAM) + " study " + quoted_path(study_) + " --data " + quoted_path(data_) +
           " --validation " + quoted_path(folder_ / "validation.txt") + " --warm-start none --threads 1 -o " +
           quoted_path(out) + " " + options;
  }
  static std::string text_of(const fs::path& path) {
    const auto content = read_file(path);
    return content.ok() ? std::string(as_text(*content)) : "cannot read " + path.string();
  }

  TemporaryFolder folder_;
  fs::path data_ = folder_ / "data";
  fs::path study_ = folder_ / "study.toml";
};

constexpr const char* two =
    "[[variant]]\nname = \"PMT\"\n[[variant]]\nname = \"MLP\"\n[variant.network]\n"
    "coarse_matcher = \"mlp\"\nfine_matcher = \"none\"\n";

TEST_F(StudyCommand, AKilledStudyGoesOnAndEndsAsOneThatWasNot) {
  study(two);
  const fs::path whole = folder_ / "whole", parts = folder_ / "parts";
  const auto first = run_program(line(whole));
  ASSERT_EQ(first.exit_code, 0) << first.err << text_of(whole / "pmt/seed_0/log.txt");
  EXPECT_THAT(first.out, HasSubstr("| PMT | 1 of 1 |"));
  EXPECT_THAT(first.out, HasSubstr("| MLP | 1 of 1 |"));
  // Killed in the middle of the second variant: its training must not live on.
  run_program(
      line(parts) + " & pid=$!; n=0; while [ ! -e " +
      quoted_path(parts / "mlp/seed_0/run/checkpoints/step_000000004.safetensors") +
      " ] && [ $n -lt 20000 ] && kill -0 $pid; do sleep 0.02; n=$((n+1)); done; kill -KILL $pid; wait $pid");
  ASSERT_FALSE(fs::exists(parts / "mlp/seed_0/result.json")) << "it was not killed in time";
  ASSERT_TRUE(fs::exists(parts / "pmt/seed_0/result.json"));
  const auto resumed = run_program("sleep 0.5; " + line(parts));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("PMT, seed 0: done before"));
  EXPECT_THAT(text_of(parts / "mlp/seed_0/log.txt"), HasSubstr("going on after"));
  for (const char* name : {"study.md", "study.tex", "study.json", "curves.html"})
    EXPECT_EQ(text_of(parts / name), text_of(whole / name)) << name;
  const auto again = run_program(line(whole));
  EXPECT_THAT(again.err, HasSubstr("MLP, seed 0: done before"));
  EXPECT_THAT(again.err, Not(HasSubstr("begins")));
}

TEST_F(StudyCommand, WhatAnotherStudyDidInTheSameWayIsTakenFromThere) {
  const std::string small =
      "[[variant]]\nname = \"linear\"\n[variant.network]\ncoarse_matcher = \"linear\"\nfine_matcher = "
      "\"none\"\n";
  study(small);
  const fs::path one = folder_ / "one", other = folder_ / "other";
  ASSERT_EQ(run_program(line(one)).exit_code, 0);
  study(
      "[[variant]]\nname = \"the same by another name\"\n[variant.network]\ncoarse_matcher = "
      "\"linear\"\nfine_matcher = \"none\"\n");
  const auto taken = run_program(line(other, "--known " + quoted_path(one)));
  ASSERT_EQ(taken.exit_code, 0) << taken.err;
  EXPECT_THAT(taken.err, HasSubstr("the same by another name, seed 0: done in"));
  EXPECT_FALSE(fs::exists(other / "the_same_by_another_name/seed_0/run/checkpoints"));
  EXPECT_EQ(text_of(other / "the_same_by_another_name/seed_0/result.json"),
            text_of(one / "linear/seed_0/result.json"));
  // Other updates are another task.
  study(small + "[variant.train]\nlearning_rate = 2e-3\n");
  const auto trained = run_program(line(folder_ / "third", "--known " + quoted_path(one)));
  EXPECT_THAT(trained.err, HasSubstr("linear, seed 0: begins"));
  EXPECT_EQ(run_program(line(folder_ / "fourth", "--known " + quoted_path(folder_ / "none"))).exit_code, 3);
}

TEST_F(StudyCommand, AVariantThatFailsIsNamedAndTheRestGoesOn) {
  study(
      "[[variant]]\nname = \"large\"\n[variant.network]\ncoarse_matcher = \"geotr\"\nfine_matcher = "
      "\"geotr\"\n"
      "[[variant]]\nname = \"small\"\n[variant.network]\ncoarse_matcher = \"none\"\nfine_matcher = "
      "\"none\"\n");
  const fs::path out = folder_ / "out";
  const auto result = run_program(line(out, "--memory 0.001"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("large, seed 0: training these matchers would need about"));
  EXPECT_THAT(result.out, HasSubstr("| small | 1 of 1 |"));
  EXPECT_THAT(result.out, HasSubstr("- large: failed: training these matchers would need about"));
  EXPECT_FALSE(fs::exists(out / "large/seed_0/run/checkpoints"));
}

TEST_F(StudyCommand, WithoutTheBundledWeightsSomeMustBeNamed) {
  study(two);
  // A program that was copied without them: variants that begin with nothing would be another study.
  const fs::path alone = folder_ / "bin";
  fs::create_directories(alone);
  for (const char* name : {"pmtr", "pmtr-network"})
    fs::copy_file(fs::path(PMTR_PROGRAM).parent_path() / name, alone / name);
  const auto result = run_program(quoted_path(alone / "pmtr") + " study " + quoted_path(study_) + " --data " +
                                  quoted_path(data_) + " -o " + quoted_path(folder_ / "out"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("the bundled weights are missing: name some with --warm-start"));
}

TEST_F(StudyCommand, ShardsAreThePartsOfTheWhole) {
  study(std::string("seeds = [0, 1]\n") + two);
  const fs::path out = folder_ / "out";
  const auto first = run_program(line(out, "--shard 1/4"));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("| PMT | 1 of 2 |"));
  EXPECT_THAT(first.out, HasSubstr("| MLP | 0 of 2 |"));
  EXPECT_EQ(run_program(line(out, "--shard 4/4")).exit_code, 0);
  const auto tables = run_program(line(out, "--tables-only"));
  EXPECT_THAT(tables.out, HasSubstr("| MLP | 1 of 2 |"));
  EXPECT_EQ(run_program(line(out, "--shard 5/4")).exit_code, 3);
  EXPECT_EQ(run_program(line(out, "--shard two")).exit_code, 3);
}

}  // namespace
}  // namespace pmtr::test
