// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The same as project_runs_test.cpp with more fragments and more kills; minutes.
#include "project_runs.h"

namespace pmtr::test {
namespace {

TEST(ManyFragments, come_to_what_assemble_comes_to) {
  const TemporaryFolder folder;
  ASSERT_EQ(
      pmtr("fracture --shape vase --pieces 20 --seed 1 --scatter --out '" + (folder / "data").string() + "'")
          .exit_code,
      0);
  const std::vector<std::string> pieces = pieces_in(folder / "data");
  ASSERT_EQ(pieces.size(), 20U);
  fs::create_directories(folder / "alone");
  ASSERT_EQ(pmtr("assemble --no-report --out '" + (folder / "alone/result").string() + "' " + quoted(pieces))
                .exit_code,
            0);
  ASSERT_EQ(project("init", folder / "one", "--block 3 " + quoted(pieces)).exit_code, 0);
  const ProgramResult run = project("run", folder / "one", "--workers 2 --no-report");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  expect_same_files(folder / "one/result", folder / "alone/result");
}

TEST(ManyKills, of_a_run_with_two_workers_do_no_harm) {
  const TemporaryFolder folder;
  std::vector<std::string> pieces;
  for (int i = 0; i < 5; ++i) pieces.push_back(fmt::format(PMTR_EXAMPLES "/bowl/piece_{}.ply", i));
  for (const char* name : {"one", "killed"})
    ASSERT_EQ(project("init", folder / name, "--object-size 1 --block 1 " + quoted(pieces)).exit_code, 0);
  const std::string run = "--workers 2 --threads 1 --no-report";
  const auto start = std::chrono::steady_clock::now();
  const ProgramResult undisturbed = project("run", folder / "one", run);
  ASSERT_EQ(undisturbed.exit_code, 0) << undisturbed.err;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  expect_kills_do_no_harm(folder / "killed", folder / "one", run, time.count(), 50, 2);
}

}  // namespace
}  // namespace pmtr::test
