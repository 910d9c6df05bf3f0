// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace pmtr::command {

/// A script for sbatch that runs this very command on `machines` machines, one process each, and goes on from
/// the newest checkpoint in `out` when the job begins again. Without a number of threads a machine belongs to
/// the job.
std::string slurm_script(int machines, const std::filesystem::path& out, std::optional<int> threads);

}  // namespace pmtr::command
