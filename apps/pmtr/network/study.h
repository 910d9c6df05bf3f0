// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "study_arguments.h"

namespace pmtr::command {

/// Runs or goes on with a study; returns the exit code. In pmtr-network only.
int run_study(const StudyArguments& arguments);

}  // namespace pmtr::command
