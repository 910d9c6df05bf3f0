// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "project_arguments.h"

namespace pmtr::command {

int run_project(const ProjectArguments& arguments);

}  // namespace pmtr::command
