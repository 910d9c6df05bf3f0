// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/project/project.h"

namespace pmtr::command {

/// A stage of a project by this many processes, a shard each, on this machine. Reports their progress
/// together and returns when all have ended: the exit code of the first that failed, or 0. What they print
/// goes to files in the project's folder log/. They do not outlive this process.
Result<int> run_project_workers(const ProjectFolder& folder, const Project& project, const std::string& stage,
                                int workers, int threads, const Listener& listener);

}  // namespace pmtr::command
