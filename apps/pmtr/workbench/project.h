// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr::command {

/// What became of the assembly of a project. `wanted` stays on the disk while it runs, so that a program that
/// was killed goes on at its next start.
enum class RunWish { none, wanted, done, failed, cancelled };
const char* run_wish_name(RunWish wish);

/// project.json: what a person said about a project, and how its last run ended.
struct ProjectSettings {
  std::string name;
  std::optional<double> object_size;  ///< longest side of the whole object; empty: estimated
  std::string units;                  ///< one of known_units, or empty
  std::vector<std::string> left_out;  ///< fragments that do not take part
  RunWish run = RunWish::none;
  std::string run_message;             ///< how it ended, in a sentence
  std::vector<std::string> run_files;  ///< what the result was made of

  Status validate() const;
};

/// A project is a folder: project.json, fragments/ (what was dropped, never changed), result/ (what
/// `pmtr assemble` writes), cache/ (thumbnails; can be deleted) and, while a run is not done, work/ (what it
/// has done, so that it can go on).
struct ProjectFolder {
  std::filesystem::path path;

  std::filesystem::path settings() const { return path / "project.json"; }
  std::filesystem::path fragments() const { return path / "fragments"; }
  std::filesystem::path incoming() const { return path / "incoming"; }
  std::filesystem::path result() const { return path / "result"; }
  std::filesystem::path next_result() const { return path / "result.new"; }
  std::filesystem::path last_result() const { return path / "result.old"; }
  std::filesystem::path cache() const { return path / "cache"; }
  std::filesystem::path work() const { return path / "work"; }
  /// Is there while result/ holds a decision that not all of its files know yet.
  std::filesystem::path unwritten() const { return path / "unwritten"; }
  std::filesystem::path log() const { return path / "log.txt"; }

  std::string id() const { return path.filename().string(); }
  bool has_result() const;
};

Result<ProjectSettings> read_settings(const ProjectFolder& folder);
Status write_settings(const ProjectFolder& folder, const ProjectSettings& settings);

/// The projects of a folder by name; other folders are not touched.
std::vector<ProjectFolder> list_projects(const std::filesystem::path& root);

/// Makes a folder that is not there yet.
Result<ProjectFolder> create_project(const std::filesystem::path& root, const std::string& name);

/// Regular files below a folder, relative, in natural order. Links are not followed.
std::vector<std::string> list_files(const std::filesystem::path& folder);

/// Puts result.new in the place of result. What a crash between the two steps leaves is mended by the next
/// call of mend_result.
Status accept_result(const ProjectFolder& folder);
void mend_result(const ProjectFolder& folder);

}  // namespace pmtr::command
