// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/project/project.h"

#include <functional>
#include <set>

#include <gmock/gmock.h>

#include "pmtr/core/file.h"
#include "pmtr/project/project_test_values.h"
#include "pmtr/project/slurm_scripts.h"
#include "pmtr/project/stage_costs.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

using test::some_project;
using testing::HasSubstr;

TEST(Project, comes_back_bit_for_bit) {
  const Project project = some_project();
  const auto again = parse_project(format_project(project), "project.json");
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(again->object_size, project.object_size);
  EXPECT_EQ(again->fragments[3].diameter, project.fragments[3].diameter);
  EXPECT_EQ(again->points, project.points);
  EXPECT_EQ(format_project(*again), format_project(project));
  EXPECT_EQ(project_key(*again), project_key(project));
}

TEST(Project, that_cannot_be_is_refused) {
  const std::vector<std::function<void(Project&)>> faults = {
      [](Project& p) { p.fragments.resize(1); },
      [](Project& p) { p.object_size = 0.0; },
      [](Project& p) { p.weights = "../weights"; },
      [](Project& p) { p.weights_digest = "0123"; },
      [](Project& p) { p.blocks.pop_back(); },
      [](Project& p) { p.blocks[0].end = 0; },
      [](Project& p) { p.fragments[1].file = p.fragments[0].file; },
      [](Project& p) { p.fragments[1].digest = "not a digest at all"; },
      [](Project& p) { p.first_fragments = 6; },
      [](Project& p) { p.objects = 0; },
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Project project = some_project();
    faults[i](project);
    EXPECT_FALSE(parse_project(format_project(project), "project.json").ok()) << i;
  }
  EXPECT_FALSE(parse_project("{}", "project.json").ok());
  EXPECT_FALSE(parse_project("[", "project.json").ok());
}

TEST(ProjectKeys, change_with_all_that_a_result_depends_on) {
  const std::vector<std::function<void(Project&)>> changes = {
      [](Project& p) { p.program = "1.2.4"; },
      [](Project& p) { p.seed = 8; },
      [](Project& p) { p.points = 4001; },
      [](Project& p) { p.objects = 2; },
      [](Project& p) { p.object_size *= 1.0 + 1e-15; },
      [](Project& p) { p.area *= 1.0 + 1e-15; },
      [](Project& p) {
        for (auto& fragment : p.fragments) fragment.diameter = 1e-3 * p.object_size;
      },
      [](Project& p) { p.weights_digest = "0123456789abcdee"; },
      [](Project& p) { p.fragments[1].digest = "00000000000000ff"; },
      [](Project& p) { p.fragments[1].bytes = 1; },
      [](Project& p) { std::swap(p.fragments[0], p.fragments[1]); },
  };
  std::set<std::string> fragments{fragment_key(some_project(), 1)};
  std::set<std::string> pairs{pair_key(some_project(), {0, 1})};
  for (const auto& change : changes) {
    Project project = some_project();
    change(project);
    fragments.insert(fragment_key(project, 1));
    pairs.insert(pair_key(project, {0, 1}));
  }
  EXPECT_EQ(fragments.size(), changes.size() + 1);
  EXPECT_EQ(pairs.size(), changes.size() + 1);
}

TEST(ProjectKeys, stay_when_fragments_are_added) {
  const Project before = some_project();
  Project after = before;
  after.fragments.push_back({"/scans/new.ply", "00000000000000bb", 10, 1.0, 1.0});
  after.blocks = add_blocks(after.blocks, 1, after.block);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(fragment_key(after, i), fragment_key(before, i));
  for (const BlockPair& pair : block_pairs(2)) EXPECT_EQ(pair_key(after, pair), pair_key(before, pair));
  EXPECT_NE(project_key(after), project_key(before));
}

TEST(ProjectFolder, says_what_is_missing) {
  const test::TemporaryFolder folder;
  const auto project = ProjectFolder(folder / "nothing").read("1");
  ASSERT_FALSE(project.ok());
  EXPECT_THAT(project.error().text(), HasSubstr("init"));
}

TEST(SlurmScripts, are_shell_whatever_the_folder_is_called) {
  const test::TemporaryFolder folder;
  SlurmOptions options = with_measured_needs({}, Project{}, {});
  options.tasks = 5;
  options.partition = "long";
  const auto scripts = slurm_scripts("/data/it's a $HOME \"find\"", "/opt/pmtr/bin/pmtr", options);
  ASSERT_EQ(scripts.size(), 5U);
  for (const auto& [name, text] : scripts) {
    ASSERT_TRUE(write_file(folder / name, text).ok());
    EXPECT_EQ(test::run_program("bash -n '" + (folder / name).string() + "'").exit_code, 0) << name;
  }
  EXPECT_THAT(scripts[1].second, HasSubstr("#SBATCH --array=1-5\n"));
  EXPECT_THAT(scripts[1].second, HasSubstr("#SBATCH --partition=long\n"));
  EXPECT_THAT(scripts[3].second, HasSubstr("project solve '/data/it'\\''s a $HOME \"find\"'"));
  EXPECT_THAT(scripts[4].second, HasSubstr("--dependency=afterok:"));
}

TEST(SlurmScripts, refuse_what_sbatch_would_not_read) {
  const SlurmOptions good = with_measured_needs({}, Project{}, {});
  EXPECT_TRUE(good.validate().ok());
  for (const char* bad : {"", "1 hour", "4G\n#SBATCH --wrap=x"}) {
    SlurmOptions options = good;
    options.need["match"].time = bad;
    EXPECT_FALSE(options.validate().ok()) << bad;
  }
  SlurmOptions options = good;
  options.tasks = 0;
  EXPECT_FALSE(options.validate().ok());
  EXPECT_FALSE(SlurmOptions{}.validate().ok());
}

TEST(StageCosts, are_what_slurm_is_asked_for) {
  const test::TemporaryFolder here;
  const ProjectFolder folder(here / "find");
  ASSERT_TRUE(folder.make_folders().ok());
  EXPECT_TRUE(read_costs(folder).empty());
  // Two of ten shards were tried: 200 pairs in 100 s.
  ASSERT_TRUE(keep_cost(folder, "match", {1, 10}, {100.0, 60.0, 300.0}).ok());
  ASSERT_TRUE(keep_cost(folder, "match", {2, 10}, {50.0, 90.0, 200.0}).ok());
  ASSERT_TRUE(keep_cost(folder, "match", {2, 10}, {100.0, 40.0, 2000.0}).ok());
  ASSERT_TRUE(write_file(folder.costs() / "match-9-of-10.json", "{\"stage\": \"match\", \"ite").ok());
  const auto costs = read_costs(folder);
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs.at("match").items, 200.0);
  EXPECT_EQ(costs.at("match").seconds, 100.0);
  EXPECT_EQ(costs.at("match").mb, 2000.0);

  Project project;
  project.fragments.resize(101);
  EXPECT_EQ(items_of(project, "match"), 5050.0);
  SlurmOptions options;
  options.tasks = 5;
  options.need["solve"] = {"12:00:00", "8G"};
  options = with_measured_needs(options, project, costs);
  // 5050 pairs take 2525 s; a fifth of that, three times.
  EXPECT_EQ(options.need["match"].time, "00:26:00");
  EXPECT_EQ(options.need["match"].memory, "3000M");
  EXPECT_EQ(options.need["solve"].time, "12:00:00");
  EXPECT_EQ(options.need["solve"].memory, "8G");
  EXPECT_TRUE(options.validate().ok());
}

}  // namespace
}  // namespace pmtr
