// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The systems that the paper compares with, from outside: trained, evaluated, put to work, and misused.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "support/run_program.h"

namespace pmtr::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SystemsCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (PMTR_HAS_NETWORK == 0) GTEST_SKIP() << "built without the network";
  }
  void make_data() const {
    for (const auto& [name, count] :
         {std::pair("everyday/Bar/x/mode_0", 2), std::pair("everyday/Bar/y/mode_0", 3)}) {
      fs::create_directories(data_ / name);
      const auto pieces = cut_bar(count, 2);
      for (std::size_t p = 0; p < pieces.size(); ++p)
        ASSERT_TRUE(write_mesh(data_ / name / ("piece_" + std::to_string(p) + ".ply"), pieces[p]).ok());
    }
  }
  static ProgramResult pmtr(const std::string& words) { return run_program("'" PMTR_PROGRAM "' " + words); }
  std::string in(const std::string& name) const { return "'" + (folder_ / name).string() + "'"; }
  nlohmann::json json(const std::string& file) const {
    const auto bytes = read_file(folder_ / file);
    return bytes.ok() ? nlohmann::json::parse(as_text(*bytes)) : nlohmann::json();
  }
  std::string train(const std::string& system, const std::string& more) const {
    return "train --system " + system + " --data " + in("data") + " --config " + in("config.toml") +
           " --cache " + in("cache") + " --threads 1 " + more;
  }
  static std::string bowl(int pieces) {
    std::string files;
    for (int i = 0; i < pieces; ++i) files += " '" PMTR_EXAMPLES "/bowl/piece_" + std::to_string(i) + ".ply'";
    return files;
  }

  TemporaryFolder folder_;
  fs::path data_ = folder_ / "data";
};

TEST_F(SystemsCommand, every_one_puts_an_example_somewhere_and_says_that_it_is_untrained) {
  for (const std::string system :
       {"global", "lstm", "dgl", "nsm", "wu", "wu-correlated", "jigsaw", "geotransformer"}) {
    // NSM takes no more than two; every pair of pieces takes the Geometric Transformer seconds.
    const int pieces = system == "nsm" || system == "geotransformer" ? 2 : 5;
    const auto result = pmtr("assemble" + bowl(pieces) + " --system " + system +
                             " --weights none --object-size 1 --no-report -o " + in(system));
    ASSERT_EQ(result.exit_code, 0) << system << result.err;
    EXPECT_THAT(result.err, HasSubstr("untrained"));
    EXPECT_THAT(result.err, HasSubstr("placed by the system " + system));
    const auto record = json(system + "/assembly.json");
    ASSERT_EQ(record["parts"].size(), static_cast<std::size_t>(pieces)) << system;
    for (const auto& part : record["parts"]) EXPECT_TRUE(part["placed"]) << system;
    EXPECT_TRUE(fs::exists(folder_ / system / "piece_0.ply"));
  }
}

TEST_F(SystemsCommand, what_a_system_cannot_do_is_said) {
  const auto many = pmtr("assemble" + bowl(3) + " --system nsm --weights none -o " + in("out"));
  EXPECT_EQ(many.exit_code, 3);
  EXPECT_THAT(many.err, HasSubstr("NSM takes two parts only; these are 3"));
  const auto unknown = pmtr("assemble" + bowl(2) + " --system shards --weights none -o " + in("out"));
  EXPECT_THAT(unknown.err, HasSubstr("must be one of global, lstm, dgl, nsm, wu, wu-correlated"));
  EXPECT_NE(unknown.exit_code, 0);
  const auto none = pmtr("assemble" + bowl(2) + " --system global -o " + in("out"));
  EXPECT_NE(none.exit_code, 0);
  EXPECT_THAT(none.err, HasSubstr("give its --weights"));
  const auto joints =
      pmtr("assemble" + bowl(2) + " --system global --weights none --place-all -o " + in("out"));
  EXPECT_NE(joints.exit_code, 0);
  EXPECT_THAT(joints.err, HasSubstr("no meaning"));
  EXPECT_FALSE(fs::exists(folder_ / "out" / "assembly.json"));
}

TEST_F(SystemsCommand, is_trained_resumed_evaluated_and_used_with_its_own_weights) {
  make_data();
  ASSERT_TRUE(write_file(folder_ / "config.toml",
                         std::string("[train]\nsteps = 4\nbatch = 2\nlog_every = 1\ncheckpoint_every = 2\n"
                                     "validate_every = 0\n[data]\nvalidation_one_in = 0\n"))
                  .ok());
  const auto whole = pmtr(train("global", "-o " + in("whole")));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(whole.err, HasSubstr("167303 parameters"));
  ASSERT_EQ(pmtr(train("global", "-o " + in("parts") + " --steps 4")).exit_code, 0);
  fs::remove(folder_ / "parts/checkpoints/step_000000004.safetensors");
  const auto resumed = pmtr(train("global", "-o " + in("parts") + " --resume"));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("going on after 2 updates"));
  const auto bytes = [&](const char* run) { return *read_file(folder_ / run / "last.safetensors"); };
  EXPECT_EQ(bytes("whole"), bytes("parts"));
  const auto mixed = pmtr(train("lstm", "-o " + in("parts") + " --resume"));
  EXPECT_EQ(mixed.exit_code, 3);
  EXPECT_THAT(mixed.err, HasSubstr("other options"));

  const std::string weights = " --weights " + in("whole/last.safetensors");
  const auto scores = pmtr("eval " + in("data") + " --system global" + weights + " --json " + in("e.json"));
  ASSERT_EQ(scores.exit_code, 0) << scores.err;
  const auto evaluation = json("e.json");
  EXPECT_EQ(evaluation["samples"].size(), 2U);
  EXPECT_EQ(evaluation["config"]["system"], "global");
  ASSERT_EQ(pmtr("assemble" + bowl(5) + " --system global" + weights + " -o " + in("bowl")).exit_code, 0);
  EXPECT_EQ(json("bowl/assembly.json")["weights"], "global: last.safetensors");
  EXPECT_TRUE(fs::exists(folder_ / "bowl/report.html"));

  for (const std::string wrong : {"--system dgl", ""}) {
    const auto refused = pmtr("assemble" + bowl(2) + " " + wrong + weights + " -o " + in("wrong"));
    EXPECT_EQ(refused.exit_code, 3) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("weights of the system 'global'"));
  }
  const auto labels = pmtr("eval " + in("data") + " --system global" + weights + " --labels true");
  EXPECT_NE(labels.exit_code, 0);
  EXPECT_THAT(labels.err, HasSubstr("no meaning"));
  const auto warm = pmtr(train("dgl", "-o " + in("warm") + " --warm-start " + in("whole/last.safetensors")));
  EXPECT_EQ(warm.exit_code, 3);
  EXPECT_THAT(warm.err, HasSubstr("'global', not of 'dgl'"));
}

TEST_F(SystemsCommand, jigsaw_is_trained_and_evaluated_like_the_others) {
  make_data();
  ASSERT_TRUE(write_file(folder_ / "config.toml",
                         std::string("[train]\nvalidate_every = 0\n[data]\nvalidation_one_in = 0\n"))
                  .ok());
  ASSERT_EQ(pmtr(train("jigsaw", "--steps 2 -o " + in("whole"))).exit_code, 0);
  const auto scores = pmtr("eval " + in("data") + " --system jigsaw --weights " +
                           in("whole/last.safetensors") + " --json " + in("e.json"));
  EXPECT_EQ(scores.exit_code, 0) << scores.err;
  EXPECT_EQ(json("e.json")["config"]["system"], "jigsaw");
}

TEST_F(SystemsCommand, a_study_by_minutes_measures_once_and_goes_on_with_the_same_updates) {
  make_data();
  ASSERT_TRUE(write_file(folder_ / "study.toml",
                         std::string("title = \"T\"\nevaluation = \"assembly\"\nminutes = 0.001\n"
                                     "columns = [\"complete\"]\npublished_columns = [\"a\", \"b\"]\n"
                                     "[all.train]\nvalidate_every = 0\nbatch = 2\n"
                                     "[[variant]]\nname = \"Global\"\nsystem = \"global\"\n"
                                     "[[published]]\nname = \"Global\"\nvalues = [1.5, 2.0]\n"))
                  .ok());
  ASSERT_TRUE(write_file(folder_ / "validation.txt", std::string("everyday/Bar/x\n")).ok());
  const std::string line = "study " + in("study.toml") + " --data " + in("data") + " --validation " +
                           in("validation.txt") + " --threads 1 -o " + in("study");
  const auto first = pmtr(line);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("(0.001 minutes)"));
  EXPECT_THAT(first.out, HasSubstr("Other data, other hours"));
  EXPECT_THAT(first.out, HasSubstr("| Global | 1.5 | 2 |"));
  const auto budget = json("study/global/seed_0/budget.json");
  EXPECT_GE(budget["updates"].get<int>(), 1);
  // As if it had been killed after the training: it measures nothing anew and trains nothing.
  ASSERT_TRUE(fs::remove(folder_ / "study/global/seed_0/result.json"));
  const auto weights = *read_file(folder_ / "study/global/seed_0/run/last.safetensors");
  const auto again = pmtr(line);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(json("study/global/seed_0/budget.json"), budget);
  EXPECT_EQ(*read_file(folder_ / "study/global/seed_0/run/last.safetensors"), weights);
  EXPECT_EQ(again.out, first.out);
  const auto more = pmtr(line + " --minutes 0.002");
  EXPECT_EQ(more.exit_code, 3) << more.err;
  EXPECT_THAT(more.err, HasSubstr("budget.json"));
}

TEST_F(SystemsCommand, a_study_trains_a_system_and_puts_objects_together_with_it) {
  make_data();
  ASSERT_TRUE(write_file(folder_ / "study.toml",
                         std::string("title = \"T\"\nevaluation = \"assembly\"\n"
                                     "columns = [\"everyday.crd\", \"complete\"]\n"
                                     "[all.train]\nvalidate_every = 0\nbatch = 2\n"
                                     "[[variant]]\nname = \"Global\"\nsystem = \"global\"\nupdates = 2\n"))
                  .ok());
  ASSERT_TRUE(write_file(folder_ / "validation.txt", std::string("everyday/Bar/x\n")).ok());
  const std::string line = "study " + in("study.toml") + " --data " + in("data") + " --validation " +
                           in("validation.txt") + " --threads 1 -o " + in("study");
  const auto first = pmtr(line);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("| Global | 1 of 1 |"));
  EXPECT_EQ(json("study/global/seed_0/eval.json")["samples"].size(), 1U);
  const auto again = pmtr(line);
  EXPECT_THAT(again.err, HasSubstr("done before"));
  EXPECT_EQ(again.out, first.out);
}

}  // namespace
}  // namespace pmtr::test
