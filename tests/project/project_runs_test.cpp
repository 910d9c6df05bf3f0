// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// A project comes to what pmtr assemble comes to, whoever does which part of it when, and whatever ends in
// between.
#include "project_runs.h"

namespace pmtr::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string bowl(int first, int last) {
  std::vector<std::string> files;
  for (int i = first; i <= last; ++i) files.push_back(fmt::format(PMTR_EXAMPLES "/bowl/piece_{}.ply", i));
  return quoted(files);
}

class ProjectRuns : public testing::Test {
 protected:
  /// The bowl in blocks of two, so that there are six pairs of blocks.
  fs::path begin(const std::string& name, int last = 4) const {
    const ProgramResult result =
        project("init", folder_ / name, "--object-size 1 --block 2 " + bowl(0, last));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return folder_ / name;
  }
  static void expect_done(const ProgramResult& result) { EXPECT_EQ(result.exit_code, 0) << result.err; }

  TemporaryFolder folder_;
};

TEST_F(ProjectRuns, come_to_what_assemble_comes_to) {
  const fs::path one = begin("one");
  fs::create_directories(folder_ / "two");
  expect_done(pmtr("assemble --object-size 1 --no-report --threads 2 --out '" +
                   (folder_ / "two/result").string() + "' " + bowl(0, 4)));
  // Shards in any order, and another number of them in each stage.
  for (const char* shard : {"3/3", "1/3", "2/3"})
    expect_done(project("encode", one, fmt::format("--shard {}", shard)));
  for (int i = 4; i >= 1; --i) expect_done(project("match", one, fmt::format("--threads 1 --shard {}/4", i)));
  for (const char* shard : {"1/2", "2/2"})
    expect_done(project("search", one, fmt::format("--shard {}", shard)));
  expect_done(project("solve", one, "--no-report --threads 1"));
  expect_same_files(one / "result", folder_ / "two/result");
  EXPECT_THAT(content_of(one / "result/assembly.json"), HasSubstr("\"placed\": true"));

  const nlohmann::json status = nlohmann::json::parse(project("status", one, "--json").out);
  EXPECT_EQ(status["encoded"], 5);
  EXPECT_EQ(status["matched"], 6);
  EXPECT_EQ(status["searched"], status["searches"]);
  EXPECT_EQ(status["solved"], true);

  // Once more: nothing is made again.
  for (const char* stage : {"encode", "match", "search"})
    EXPECT_THAT(project(stage, one).err, HasSubstr(fmt::format("{} 1/1: 0 made", stage)));
  EXPECT_THAT(project("run", one).err, HasSubstr("solved already"));

  // Processes of their own, and two of them at the same shard.
  const fs::path three = begin("three");
  expect_done(run_program("'" PMTR_PROGRAM "' project encode '" + three.string() +
                          "' & '" PMTR_PROGRAM "' project encode '" + three.string() + "' && wait $!"));
  expect_done(run_program("'" PMTR_PROGRAM "' project match '" + three.string() +
                          "' & '" PMTR_PROGRAM "' project match '" + three.string() + "' && wait $!"));
  expect_done(project("run", three, "--workers 2 --no-report"));
  expect_same_project(one, three);
}

TEST_F(ProjectRuns, survive_kills_at_any_moment) {
  const fs::path undisturbed = begin("undisturbed");
  const auto start = std::chrono::steady_clock::now();
  expect_done(project("run", undisturbed, "--no-report"));
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  expect_kills_do_no_harm(begin("killed"), undisturbed, "--no-report", time.count(), 10, 1);
}

TEST_F(ProjectRuns, make_again_what_is_damaged_and_only_that) {
  const fs::path one = begin("one");
  expect_done(project("encode", one));
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(one / "fragments")) files.push_back(entry.path());
  ASSERT_EQ(files.size(), 5U);
  const std::string whole = content_of(files[2]);
  fs::resize_file(files[2], whole.size() / 2);
  const ProgramResult early = project("match", one);
  EXPECT_EQ(early.exit_code, 3);
  EXPECT_THAT(early.err, HasSubstr("damaged"));
  EXPECT_THAT(project("encode", one).err, HasSubstr("1 made, 4 were there"));
  EXPECT_TRUE(content_of(files[2]) == whole);
}

TEST_F(ProjectRuns, take_fragments_that_come_later_and_compute_only_what_is_new) {
  const fs::path one = begin("one", 3);
  expect_done(project("run", one, "--no-report"));
  const auto before = files_in(one / "fragments");
  const ProgramResult added = project("add", one, bowl(3, 4));
  expect_done(added);
  EXPECT_THAT(added.err, HasSubstr("is in the project already"));
  EXPECT_THAT(added.err, HasSubstr("1 fragments more; what was encoded and matched stays"));
  EXPECT_EQ(nlohmann::json::parse(project("status", one, "--json").out)["solved"], false);
  EXPECT_THAT(project("encode", one).err, HasSubstr("1 made, 4 were there"));
  EXPECT_THAT(project("match", one).err, HasSubstr("3 made, 3 were there"));
  expect_done(project("run", one, "--no-report"));
  for (const auto& [name, text] : before) EXPECT_TRUE(files_in(one / "fragments").at(name) == text);
  const nlohmann::json result = nlohmann::json::parse(content_of(one / "result/assembly.json"));
  EXPECT_EQ(result["parts"].size(), 5U);
  EXPECT_THAT(project("add", one, bowl(3, 4)).err, HasSubstr("5 fragments"));
}

TEST_F(ProjectRuns, say_what_is_wrong) {
  const auto expect_refused = [](const ProgramResult& result, int code, const std::string& message) {
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
  };
  const fs::path nothing = folder_ / "nothing";
  expect_refused(project("encode", nothing), 3, "is no project");
  expect_refused(project("dance", nothing), 2, "dance");
  expect_refused(project("init", nothing), 2, "needs fragments");
  expect_refused(project("init", nothing, bowl(0, 0)), 3, "at least two");
  expect_refused(project("init", nothing, bowl(0, 1) + bowl(1, 2)), 3, "given twice");
  expect_refused(project("init", nothing, bowl(0, 1) + " --place-all --only-confirmed"), 2,
                 "exclude each other");
  EXPECT_FALSE(fs::exists(nothing / "project.json"));

  const fs::path one = folder_ / "one";
  fs::create_directories(folder_ / "scans");
  for (const char* name : {"piece_0.ply", "piece_1.ply"})
    fs::copy_file(fs::path(PMTR_EXAMPLES "/bowl") / name, folder_ / "scans" / name);
  const std::string files = quoted(pieces_in(folder_ / "scans"));
  expect_done(project("init", one, files));
  expect_done(project("init", one, files));
  expect_refused(project("init", one, files + " --seed 3"), 3, "holds another project");
  expect_refused(project("encode", one, "--shard 3/2"), 2, "shard '3/2'");
  expect_refused(project("match", one), 3, "pmtr project encode makes it");
  expect_refused(project("search", one), 3, "pmtr project match makes it");
  expect_refused(project("solve", one), 3, "pmtr project encode makes it");
  std::string changed = content_of(folder_ / "scans/piece_1.ply");
  changed.back() ^= 1;
  ASSERT_TRUE(write_file(folder_ / "scans/piece_1.ply", changed).ok());
  expect_refused(project("encode", one), 3, "it has changed");
  expect_done(project("encode", one, "--shard 1/2"));
}

}  // namespace
}  // namespace pmtr::test
