// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/project/blocks.h"

namespace pmtr {

/// One fragment of a project, as it was when it came.
struct ProjectFragment {
  std::string file;         ///< absolute
  std::string digest;       ///< of the file
  std::uint64_t bytes = 0;  ///< its length
  double area = 0.0;        ///< of its surface, input units
  double diameter = 0.0;
};

/// What project.json says: the fragments, and what their sampling takes from all of them together. That is
/// fixed by the first ones: a fragment that comes later must not change what was encoded before.
struct Project {
  std::string program;  ///< version of pmtr that results are made with; another one makes all of them again
  std::uint64_t seed = 0;
  std::optional<int> points;   ///< per object; empty: the default
  int objects = 1;             ///< that the fragments are of, about
  double object_size = 0.0;    ///< longest side of an object, input units
  bool size_is_given = false;  ///< or estimated from the first fragments
  double area = 0.0;           ///< of the first fragments' surfaces, input units
  int first_fragments = 0;     ///< how many they were
  std::string units;           ///< only repeated
  std::string weights;         ///< name of the file in the folder weights/
  std::string weights_digest;
  int block = 16;  ///< fragments of a block, at most
  std::vector<Block> blocks;
  std::vector<ProjectFragment> fragments;

  /// What lengths are shares of (unit_for_fragments, of the first fragments).
  double unit() const;
  /// Surfaces of the first fragments, in that unit.
  std::vector<double> first_areas() const;
  /// Of the surface, for the sampling of a fragment.
  double share_of(const ProjectFragment& fragment) const;
  Status validate() const;
};

std::string format_project(const Project& project);
Result<Project> parse_project(std::string_view text, const std::string& file);

/// Where a project keeps what. Names of results begin with what they were made from, so that nothing stale is
/// found: the digests of the files and of the weights, the options, and this program's version.
class ProjectFolder {
 public:
  explicit ProjectFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path project_file() const { return path_ / "project.json"; }
  std::filesystem::path weights_file(const Project& project) const {
    return path_ / "weights" / project.weights;
  }
  std::filesystem::path fragment_file(const Project& project, int fragment) const;
  std::filesystem::path matches_file(const Project& project, const BlockPair& pair) const;
  std::filesystem::path scores_file(const Project& project, const BlockPair& pair) const;
  /// `likely` are the pairs between the two blocks that are looked at.
  std::filesystem::path candidates_file(const Project& project, const BlockPair& pair,
                                        std::span<const std::pair<int, int>> likely) const;
  std::filesystem::path solved_file() const { return path_ / "solved.json"; }
  std::filesystem::path results() const { return path_ / "result"; }
  std::filesystem::path costs() const { return path_ / "cost"; }

  /// The folders that results go to.
  Status make_folders() const;

  /// For this program, whose version is `program`.
  Result<Project> read(const std::string& program) const;
  Status write(const Project& project) const;

 private:
  std::filesystem::path path_;
};

/// What the result of a fragment, a pair of blocks, or the whole project depends on, as 16 hexadecimal
/// digits.
std::string fragment_key(const Project& project, int fragment);
std::string pair_key(const Project& project, const BlockPair& pair);
std::string project_key(const Project& project);

}  // namespace pmtr
