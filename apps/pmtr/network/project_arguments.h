// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "pmtr/pipeline/assemble_request.h"
#include "pmtr/project/project.h"
#include "pmtr/project/slurm_scripts.h"

namespace pmtr::command {

/// What `pmtr project` was told; which of it counts depends on the action.
struct ProjectArguments {
  std::string action;
  std::filesystem::path folder;
  std::vector<std::filesystem::path> files;
  std::optional<std::filesystem::path> weights;
  AssembleRequest request;
  int block = Project{}.block;
  std::string shard = "1/1";
  int workers = 1;
  std::optional<int> threads;                ///< all cores if empty; of each worker: its part of them
  std::optional<std::filesystem::path> out;  ///< in the project's folder if empty
  bool no_report = false;
  bool light = false;
  bool json = false;
  SlurmOptions slurm;
  SlurmNeed task_need, solve_need;  ///< empty: as measured
  bool submit = false;
};

/// Both programs declare the command; only pmtr-network has a `run` to give.
Command project_command(const std::function<int(const ProjectArguments&)>& run);

}  // namespace pmtr::command
