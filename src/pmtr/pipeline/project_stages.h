// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pmtr/pipeline/assemble_files.h"
#include "pmtr/project/project.h"

namespace pmtr {

/// The stages of assemble_fragments with files in between, so that any number of processes can share them.
/// Every result is a file of its own, written aside and renamed, whose name says what it was made from: a
/// stage makes what is missing or damaged in its shard and nothing else, may be killed at any time, and may
/// be run twice at once. What is solved in the end is what assemble_fragments makes of the same fragments,
/// bit for bit.

/// What a project is begun with.
struct ProjectStart {
  std::string program;            ///< version of pmtr
  AssembleRequest request;        ///< without what only concerns solving
  int block = Project{}.block;    ///< fragments that a worker loads together
  std::filesystem::path weights;  ///< a file; it is copied into the folder
  std::vector<std::filesystem::path> files;
};

/// Measures the fragments and writes project.json. The same again changes nothing; a folder that holds
/// another project is Cause::mismatch.
Result<Project> init_project(const ProjectFolder& folder, const ProjectStart& start, Threads& threads,
                             const Listener& listener);

/// Adds fragments behind the others; those that are there already are left out. The size of the object and
/// the density of points stay what the first ones made them, so nothing is encoded or matched again; the
/// listener hears how far off that is.
Result<Project> add_fragments(const ProjectFolder& folder, Project project,
                              std::span<const std::filesystem::path> files, Threads& threads,
                              const Listener& listener);

/// How many results a stage made, and how many were there already.
struct StageWork {
  int made = 0;
  int kept = 0;
  std::int64_t items = 0;  ///< fragments, or pairs of them, in what was made
};

/// Once per fragment: sampled and encoded.
Result<StageWork> encode_shard(const ProjectFolder& folder, const Project& project, const Shard& shard,
                               Threads& threads, const Listener& listener);
/// Once per pair: which break points match. Cause::empty if fragments that it needs are not encoded.
Result<StageWork> match_shard(const ProjectFolder& folder, const Project& project, const Shard& shard,
                              Threads& threads, const Listener& listener);
/// Once per likely pair: a look at the surfaces. Cause::empty if not all pairs are matched.
Result<StageWork> search_shard(const ProjectFolder& folder, const Project& project, const Shard& shard,
                               Threads& threads, const Listener& listener);

/// Once per project: its assembly and, in `files`, what it was made from. Cause::empty if something is
/// missing.
Result<AssemblyRecord> solve_project(const ProjectFolder& folder, const Project& project, bool place_all,
                                     bool only_confirmed, std::vector<MeshFile>& files, Threads& threads,
                                     const Listener& listener);

/// How far a project has come, by the names of the files that are there.
struct ProjectStatus {
  int fragments = 0, encoded = 0;
  int blocks = 0;   ///< pairs of blocks
  int matched = 0;  ///< of them
  std::optional<int> searches,
      searched;         ///< pairs of blocks with likely pairs; unknown until all are matched
  bool solved = false;  ///< as the project is now

  bool ready_to_solve() const { return searches && searches == searched; }
};
Result<ProjectStatus> project_status(const ProjectFolder& folder, const Project& project);

/// Remembers that the project, as it is, was solved.
Status mark_solved(const ProjectFolder& folder, const Project& project, const std::filesystem::path& results);

}  // namespace pmtr
