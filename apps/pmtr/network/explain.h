// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "explain_arguments.h"

namespace pmtr::command {

/// Draws the paper's Figure 3 for two fragments; returns the exit code. In pmtr-network only.
int run_explain(const ExplainArguments& arguments);

}  // namespace pmtr::command
