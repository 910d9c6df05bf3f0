// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "assemble_arguments.h"

namespace pmtr::command {

/// Reads the fragments, assembles them, writes the results; returns the exit code. In pmtr-network only.
int run_assemble(const AssembleArguments& arguments);

}  // namespace pmtr::command
