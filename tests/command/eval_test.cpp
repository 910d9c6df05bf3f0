// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// `pmtr eval` from outside. The network is untrained: what is checked is the book-keeping.
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

class EvalCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (PMTR_HAS_NETWORK == 0) GTEST_SKIP() << "built without the network";
    for (const char* name : {"everyday/Bar/x/mode_0", "everyday/Bar/x/mode_1", "everyday/Bar/y/mode_0",
                             "artifact/7_sf/mode_0"}) {
      fs::create_directories(data_ / name);
      const auto pieces = cut_bar(2, 2);
      for (std::size_t p = 0; p < pieces.size(); ++p)
        ASSERT_TRUE(write_mesh(data_ / name / ("piece_" + std::to_string(p) + ".ply"), pieces[p]).ok());
    }
  }
  ProgramResult run(const std::string& options) const {
    return run_program("'" PMTR_PROGRAM "' eval '" + data_.string() + "' --weights none --points 400 " +
                       options);
  }
  ProgramResult merge(const std::string& files) const {
    return run_program("'" PMTR_PROGRAM "' eval merge " + files);
  }
  std::string name(const std::string& file) const { return (folder_ / file).string(); }
  nlohmann::json json(const std::string& file) const {
    const auto bytes = read_file(folder_ / file);
    return bytes.ok() ? nlohmann::json::parse(as_text(*bytes)) : nlohmann::json();
  }

  TemporaryFolder folder_;
  fs::path data_ = folder_ / "data";
};

TEST_F(EvalCommand, WritesARecordPerSampleTablesAndAPicture) {
  const auto result = run("--json " + name("all.json") + " --markdown " + name("all.md") + " --latex " +
                          name("all.tex") + " --picture " + name("all.png"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("| all | 4 |"));
  const auto all = json("all.json");
  ASSERT_EQ(all["samples"].size(), 4U);
  EXPECT_EQ(all["samples"][0]["path"], "artifact/7_sf/mode_0");
  EXPECT_EQ(all["samples"][0]["parts"], 2);
  for (const char* key : {"crd", "cd", "rmse_r_deg", "rmse_t", "rot_deg", "trans", "pa_cd", "pa_crd",
                          "recall_5_001", "recall_10_005", "complete", "seconds"}) {
    EXPECT_TRUE(all["samples"][0].contains(key)) << key;
    EXPECT_TRUE(all["mean"].contains(key)) << key;
    EXPECT_TRUE(all["interval"].contains(key)) << key;
  }
  double sum = 0.0;
  for (const auto& sample : all["samples"]) sum += sample["crd"].get<double>();
  EXPECT_NEAR(all["mean"]["crd"].get<double>(), sum / 4.0, 1e-12);
  EXPECT_EQ(all["by_category"]["Bar"]["samples"], 3);
  EXPECT_EQ(all["config"]["weights"], "untrained");
  EXPECT_THAT(result.err, HasSubstr("untrained"));
  for (const char* file : {"all.md", "all.tex", "all.png"}) EXPECT_TRUE(fs::exists(folder_ / file)) << file;
}

TEST_F(EvalCommand, ShardsMergeIntoTheWhole) {
  ASSERT_EQ(run("--json " + name("all.json")).exit_code, 0);
  ASSERT_EQ(run("--shard 1/3 --json " + name("a.json")).exit_code, 0);
  ASSERT_EQ(run("--shard 2/3 --threads 1 --json " + name("b.json")).exit_code, 0);
  ASSERT_EQ(run("--shard 3/3 --json " + name("c.json")).exit_code, 0);
  EXPECT_EQ(json("a.json")["samples"].size(), 2U);
  const auto mixed = merge(name("a.json") + " " + name("b.json"));
  EXPECT_EQ(mixed.exit_code, 3);
  EXPECT_THAT(mixed.err, HasSubstr("'side_by_side'"));
  ASSERT_EQ(run("--shard 2/3 --json " + name("b.json")).exit_code, 0);
  const auto merged =
      merge(name("c.json") + " " + name("a.json") + " " + name("b.json") + " --json " + name("merged.json"));
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  auto one = json("all.json");
  auto other = json("merged.json");
  ASSERT_EQ(other["samples"].size(), 4U);
  for (auto* result : {&one, &other}) {  // but for the time that it took
    for (auto& sample : (*result)["samples"]) sample.erase("seconds");
  }
  EXPECT_EQ(one["samples"], other["samples"]);
  EXPECT_EQ(one["config"], other["config"]);
  const auto twice = merge(name("a.json") + " " + name("a.json"));
  EXPECT_EQ(twice.exit_code, 3);
  EXPECT_THAT(twice.err, HasSubstr("more than one shard"));
}

TEST_F(EvalCommand, PairsAndLimits) {
  ASSERT_EQ(run("--pairs --limit 2 --json " + name("pairs.json")).exit_code, 0);
  const auto pairs = json("pairs.json");
  ASSERT_EQ(pairs["samples"].size(), 2U);
  EXPECT_EQ(pairs["samples"][0]["path"], "artifact/7_sf/mode_0#0+1");
  EXPECT_EQ(run("--min-parts 3").exit_code, 3) << "there are none";
}

TEST_F(EvalCommand, SaysWhetherTheFixedPartIsCounted) {
  const auto pairs = run("--pairs --limit 1 --json " + name("pairs.json"));
  ASSERT_EQ(pairs.exit_code, 0) << pairs.err;
  EXPECT_THAT(pairs.out, HasSubstr("RMSE and PA do not count it"));
  EXPECT_EQ(json("pairs.json")["count_anchor"], false);
  const auto objects = run("--limit 1 --json " + name("objects.json"));
  ASSERT_EQ(objects.exit_code, 0) << objects.err;
  EXPECT_THAT(objects.out, HasSubstr("RMSE and PA count it as a part without error"));
  EXPECT_EQ(json("objects.json")["count_anchor"], true);
  ASSERT_EQ(run("--limit 1 --anchor left-out --json " + name("free.json")).exit_code, 0);
  EXPECT_EQ(json("free.json")["count_anchor"], false);
  const double counted = json("objects.json")["mean"]["rmse_r_deg"];
  EXPECT_NEAR(json("free.json")["mean"]["rmse_r_deg"], 2.0 * counted, 1e-9);
  EXPECT_EQ(run("--anchor maybe").exit_code, 2);
}

TEST_F(EvalCommand, ExplainsWhatIsWrong) {
  const auto result = run("--limit 2 --explain " + name("why") + " --json " + name("all.json"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto losses = json("why/losses.json");
  ASSERT_EQ(losses["runs"].size(), 4U);
  EXPECT_EQ(losses["runs"][0]["labels"], "network");
  EXPECT_EQ(losses["runs"][3]["labels"], "true");
  EXPECT_EQ(losses["runs"][3]["pairs"], "touching");
  const int pieces = losses["runs"][0]["pieces"];
  const int right = losses["runs"][0]["right"];
  EXPECT_EQ(pieces, 2);
  EXPECT_EQ(losses["pieces"].size(), static_cast<std::size_t>(pieces - right));
  EXPECT_EQ(losses["stages"]["wrong"], pieces - right);
  EXPECT_TRUE(fs::exists(folder_ / "why/losses.md"));
  EXPECT_EQ(json("all.json")["samples"].size(), 2U) << "the first run is what it would be without";
}

TEST_F(EvalCommand, PiecesMayBePoints) {
  ASSERT_EQ(run("--limit 1 --points-only --labels true --json " + name("points.json")).exit_code, 0);
  EXPECT_EQ(json("points.json")["config"]["pieces"], "100000 points");
  ASSERT_EQ(run("--limit 1 --json " + name("mesh.json")).exit_code, 0);
  EXPECT_EQ(json("mesh.json")["config"]["pieces"], "meshes");
}

TEST_F(EvalCommand, BadInput) {
  EXPECT_EQ(run("--shard 3/2").exit_code, 2);
  EXPECT_EQ(run("--shard x").exit_code, 2);
  EXPECT_EQ(run("--pose magic").exit_code, 2);
  EXPECT_EQ(run("--triangles 1.5").exit_code, 2);
  EXPECT_EQ(run("--without everything").exit_code, 2);
  EXPECT_EQ(merge("").exit_code, 2);
  EXPECT_EQ(merge(name("none.json")).exit_code, 3);
  ASSERT_TRUE(write_file(folder_ / "bad.json", std::string_view("{\"version\": 1, \"config\": 3}")).ok());
  const auto bad = merge(name("bad.json"));
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.err, HasSubstr("bad.json"));
  EXPECT_THAT(bad.err, HasSubstr("config is not"));
  // One piece that cannot be read costs its sample, not the others, and is reported.
  ASSERT_TRUE(write_file(data_ / "everyday/Bar/y/mode_0/piece_1.ply", std::string_view("nonsense")).ok());
  const auto damaged = run("--json " + name("rest.json"));
  EXPECT_EQ(damaged.exit_code, 3);
  EXPECT_THAT(damaged.err, HasSubstr("piece_1.ply"));
  EXPECT_EQ(json("rest.json")["samples"].size(), 3U);
  EXPECT_EQ(json("rest.json")["failures"].size(), 1U);
}

}  // namespace
}  // namespace pmtr::test
