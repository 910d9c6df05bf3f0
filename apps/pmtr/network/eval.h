// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "eval_arguments.h"

namespace pmtr::command {

int run_eval(const EvalArguments& arguments);

}  // namespace pmtr::command
