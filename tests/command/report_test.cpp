// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// pmtr report and pmtr view from the outside; what the browser sees is tested in tests/browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/run_program.h"

namespace pmtr::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const char* identity = "[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]";

std::string assembly_of(const std::string& file) {
  const std::string part = R"({"file": ")" + file + R"(", "placed": true, "anchor": true, "component": 0,)" +
                           R"("world_from_part": )" + identity + R"(, "confidence": 0.5})";
  return R"({"version": 1, "seed": 0, "units": "mm", "weights": "w", "object_size": 120, "parts": [)" + part +
         R"(], "joints": [], "certificate": null})";
}

TEST(ReportCommand, makes_the_report_of_a_folder_anew) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "assembly.json", assembly_of(PMTR_EXAMPLES "/slab/left.ply")).ok());
  const ProgramResult result =
      run_program("'" PMTR_PROGRAM "' report --light '" + folder.path().string() + "'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_GT(fs::file_size(folder / "report.html"), 500'000U);
  EXPECT_TRUE(fs::exists(folder / "assembly.png"));
}

TEST(ReportCommand, refuses_what_is_not_there_or_not_right) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& command) {
    return run_program("'" PMTR_PROGRAM "' " + command + " '" + folder.path().string() + "'");
  };
  for (const char* command : {"report", "view --no-browser"}) {
    EXPECT_EQ(run(command).exit_code, 3) << command;
    EXPECT_THAT(run(command).err, HasSubstr("assembly.json")) << command;
    EXPECT_EQ(run_program(std::string("'" PMTR_PROGRAM "' ") + command).exit_code, 2);
  }
  ASSERT_TRUE(write_file(folder / "assembly.json", "{\"version\": 7}").ok());
  EXPECT_EQ(run("report").exit_code, 3);
  ASSERT_TRUE(write_file(folder / "assembly.json", assembly_of("gone.ply")).ok());
  const ProgramResult gone = run("report");
  EXPECT_EQ(gone.exit_code, 3);
  EXPECT_THAT(gone.err, HasSubstr("--fragments"));
  EXPECT_FALSE(fs::exists(folder / "report.html"));
}

}  // namespace
}  // namespace pmtr::test
