// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// `pmtr dataset` from outside.
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
using testing::IsEmpty;

class DatasetCommand : public testing::Test {
 protected:
  void SetUp() override {
    write("everyday/Bar/x/mode_0", 2);
    write("everyday/Bar/x/mode_1", 3);
    write("artifact/7_sf/mode_0", 4);
  }
  void write(const std::string& fracture, int count) const {
    const fs::path folder = data_ / fracture;
    fs::create_directories(folder);
    const auto pieces = cut_bar(count, 2);
    for (std::size_t p = 0; p < pieces.size(); ++p)
      ASSERT_TRUE(write_mesh(folder / ("piece_" + std::to_string(p) + ".ply"), pieces[p]).ok());
  }
  ProgramResult run(const std::string& action, const std::string& options = "") const {
    return run_program("'" PMTR_PROGRAM "' dataset " + action + " '" + data_.string() + "' " + options);
  }
  TemporaryFolder folder_;
  fs::path data_ = folder_ / "data";
};

TEST_F(DatasetCommand, StatsPrintsATableAndWritesJsonAndAPicture) {
  const std::string json = (folder_ / "stats.json").string();
  const std::string png = (folder_ / "sheet.png").string();
  const auto result =
      run("stats", "--json " + json + " --picture " + png + " --cache " + (folder_ / "cache").string());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("2 objects, 3 fractures, 9 pieces, 6 adjacent pairs"));
  const auto bytes = read_file(json);
  ASSERT_TRUE(bytes.ok());
  const auto stats = nlohmann::json::parse(as_text(*bytes));
  EXPECT_EQ(stats["pairs"], 6);
  EXPECT_EQ(stats["by_pieces"][2]["pieces"], 4);
  EXPECT_EQ(stats["by_pieces"][2]["pairs_per_fracture"], 3.0);
  EXPECT_EQ(stats["records"].size(), 3U);
  const auto picture = read_file(png);
  ASSERT_TRUE(picture.ok());
  EXPECT_THAT(std::string(as_text(*picture).substr(1, 3)), "PNG");
  EXPECT_TRUE(fs::exists(folder_ / "cache/everyday/Bar/x/mode_1.pmtrobj"));
  // From the cache, and with another number of threads: the same.
  const auto again = run("stats", "--threads 1 --cache " + (folder_ / "cache").string());
  EXPECT_EQ(again.out, result.out);
}

TEST_F(DatasetCommand, FiltersAndSplits) {
  EXPECT_THAT(run("stats", "--categories Bar").out, HasSubstr("1 objects, 2 fractures, 5 pieces"));
  EXPECT_THAT(run("stats", "--max-parts 2").out, HasSubstr("1 objects, 1 fractures, 2 pieces"));
  EXPECT_THAT(run("stats", "--volume-constrained").out, HasSubstr("3 fractures"));
  const std::string split = (folder_ / "split.txt").string();
  ASSERT_TRUE(write_file(split, std::string_view("artifact/7_sf\nartifact/8_sf\n")).ok());
  const auto missing = run("stats", "--split " + split);
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.out, IsEmpty());
  EXPECT_THAT(missing.err, HasSubstr("artifact/8_sf is not there"));
  const auto skipped = run("stats", "--skip-missing --split " + split);
  EXPECT_EQ(skipped.exit_code, 0);
  EXPECT_THAT(skipped.out, HasSubstr("1 objects, 1 fractures, 4 pieces"));
  EXPECT_THAT(skipped.err, HasSubstr("artifact/8_sf is not there"));
}

TEST_F(DatasetCommand, CheckNamesWhatIsWrong) {
  const auto fine = run("check");
  EXPECT_EQ(fine.exit_code, 0) << fine.out;
  EXPECT_THAT(fine.out, IsEmpty());
  TriangleMesh open = cut_bar(2, 2)[0];
  open.faces.pop_back();
  ASSERT_TRUE(write_mesh(data_ / "everyday/Bar/x/mode_0/piece_0.ply", open).ok());
  const auto bad = run("check");
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.out, HasSubstr("everyday/Bar/x/mode_0: piece_0.ply is open at 3 edges"));
}

TEST_F(DatasetCommand, WrongUsageAndBadInput) {
  EXPECT_EQ(run("sing").exit_code, 2);
  EXPECT_EQ(run("stats", "--min-parts 5 --max-parts 3").exit_code, 2);
  EXPECT_EQ(run("stats", "--min-parts 0").exit_code, 2);
  EXPECT_EQ(run_program("'" PMTR_PROGRAM "' dataset stats").exit_code, 2);
  EXPECT_EQ(run_program("'" PMTR_PROGRAM "' dataset stats '" + (folder_ / "none").string() + "'").exit_code,
            3);
  ASSERT_TRUE(write_file(data_ / "everyday/Bar/x/mode_1/piece_2.ply", std::string_view("nonsense")).ok());
  const auto result = run("stats");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("piece_2.ply"));
  EXPECT_EQ(run("check").exit_code, 3);
}

}  // namespace
}  // namespace pmtr::test
