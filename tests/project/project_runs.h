// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "pmtr/core/file.h"
#include "pmtr/core/random.h"
#include "support/run_program.h"

namespace pmtr::test {

namespace fs = std::filesystem;

inline ProgramResult pmtr(const std::string& arguments) {
  return run_program("'" PMTR_PROGRAM "' " + arguments);
}

inline ProgramResult project(const std::string& action, const fs::path& folder,
                             const std::string& arguments = "") {
  return pmtr("project " + action + " '" + folder.string() + "' " + arguments);
}

inline std::string content_of(const fs::path& file) {
  const auto bytes = read_file(file);
  return bytes.ok() ? std::string(as_text(*bytes)) : "unreadable: " + bytes.error().text();
}

/// What a folder holds, by name; assembly.json without what differs between two runs of the same: time and
/// memory.
inline std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() == ".tmp") continue;
    std::string text = content_of(entry.path());
    if (entry.path().filename() == "assembly.json") {
      nlohmann::json json = nlohmann::json::parse(text);
      json.erase("timing_ms");
      json.erase("peak_rss_mb");
      text = json.dump(1);
    }
    files[fs::relative(entry.path(), folder).string()] = std::move(text);
  }
  return files;
}

/// Names only where they differ: the contents are long.
inline void expect_same_files(const fs::path& a, const fs::path& b) {
  const auto in_a = files_in(a), in_b = files_in(b);
  for (const auto& [name, text] : in_a) {
    ASSERT_TRUE(in_b.contains(name)) << name << " is only in " << a;
    EXPECT_TRUE(in_b.at(name) == text) << name << " differs";
  }
  for (const auto& [name, text] : in_b) EXPECT_TRUE(in_a.contains(name)) << name << " is only in " << b;
}

inline std::vector<std::string> pieces_in(const fs::path& folder) {
  std::vector<std::string> pieces;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".ply") pieces.push_back(entry.path().string());
  }
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

inline std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += "'" + word + "' ";
  return text;
}

/// What every run of one project must come to.
inline void expect_same_project(const fs::path& a, const fs::path& b) {
  for (const char* part : {"fragments", "pairs", "weights", "result"}) expect_same_files(a / part, b / part);
  EXPECT_EQ(content_of(a / "project.json"), content_of(b / "project.json"));
}

/// Runs a project to its end although it is killed (SIGKILL) at `kills` random moments, and expects that it
/// comes to what `undisturbed`, which took `seconds`, came to.
inline void expect_kills_do_no_harm(const fs::path& folder, const fs::path& undisturbed,
                                    const std::string& run, double seconds, int kills, std::uint64_t seed) {
  Random random(seed);
  int killed = 0;
  for (int i = 0; i < kills; ++i) {
    // A run that has nothing left to do is over before it can be killed: then half of the results are thrown
    // away.
    if (fs::remove(folder / "solved.json")) {
      for (const char* part : {"fragments", "pairs"}) {
        for (const auto& entry : fs::directory_iterator(folder / part)) {
          if (random.below(2) == 0) fs::remove(entry.path());
        }
      }
    }
    const ProgramResult result =
        run_program(fmt::format("timeout -s KILL {:.3f} '" PMTR_PROGRAM "' project run '{}' {}",
                                random.uniform(0.2, seconds), folder.string(), run));
    killed += result.exit_code == 137 ? 1 : 0;
    ASSERT_TRUE(result.exit_code == 137 || result.exit_code == 0) << result.err;
  }
  EXPECT_GE(killed, kills / 3);
  const ProgramResult last = project("run", folder, run);
  ASSERT_EQ(last.exit_code, 0) << last.err;
  expect_same_project(folder, undisturbed);
}

}  // namespace pmtr::test
