// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr::command {

/// Runs a program to its end and returns what it wrote to stdout; stderr and the environment are shared. An
/// error if it cannot be started or does not return 0.
Result<std::string> output_of(const std::filesystem::path& program,
                              const std::vector<std::string>& arguments);

/// Runs this program with other arguments to its end and returns its exit code; what it prints goes to a
/// file. It does not outlive this process.
Result<int> run_self(const std::vector<std::string>& arguments, const std::filesystem::path& log);

}  // namespace pmtr::command
