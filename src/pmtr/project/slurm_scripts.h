// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr {

/// What a task may take, as sbatch writes it.
struct SlurmNeed {
  std::string time;
  std::string memory;
};

/// What the jobs of a project ask Slurm for.
struct SlurmOptions {
  int tasks = 8;    ///< of each array
  int threads = 1;  ///< cores of a task
  int solve_threads = 4;
  /// By stage: encode, match, search and solve. stage_costs.h fills in what is empty.
  std::map<std::string, SlurmNeed> need;
  std::string partition;        ///< empty: the cluster's default
  std::string solve_arguments;  ///< behind `pmtr project solve DIR`; for the shell

  Status validate() const;
};

/// The scripts of a project in `folder` for the program `pmtr`, by file name: encode.sh, match.sh and
/// search.sh are job arrays, solve.sh one job, and submit.sh gives them to sbatch, each to begin when the one
/// before has done well.
std::vector<std::pair<std::string, std::string>> slurm_scripts(const std::filesystem::path& folder,
                                                               const std::filesystem::path& pmtr,
                                                               const SlurmOptions& options);

/// A word of a shell script, whatever is in it.
std::string shell_word(const std::string& text);

}  // namespace pmtr
